import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { gatewayPath } from "../contract/route.ts";
import type { Endpoint } from "./endpoint.ts";

/**
 * Creates the Lambda handler of several routes, which answers each by its endpoint, and HEAD as GET. Routes that only read and routes
 * that write have different handlers: all routes of a function have its grants.
 *
 * @example
 * export const handler = sharedEndpoint(endpoint(getAlert, guard, ...), endpoint(listAlerts, guard, ...));
 */
export const sharedEndpoint = (...endpoints: readonly Endpoint[]) => {
  const endpointsByCall = new Map(endpoints.map((each) => [`${each.route.method} ${gatewayPath(each.route)}`, each]));
  return async (event: APIGatewayProxyEvent, context: Context): Promise<unknown> => {
    const method = event.httpMethod === "HEAD" ? "GET" : event.httpMethod;
    const answer = endpointsByCall.get(`${method} ${event.resource}`);
    if (answer === undefined) throw new Error(`The function does not answer ${event.httpMethod} ${event.resource}.`);
    return await answer(event, context);
  };
};
