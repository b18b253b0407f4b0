import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Route } from "../contract/route.ts";
import { headerValues } from "./event.ts";

/** Host name or IP address with an optional port. Other `Host` values are ignored: documentation shows the URL in shell commands. */
const hostForm = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

const originOf = (event: APIGatewayProxyEvent): string => {
  const [host = ""] = headerValues(event, "Host");
  const scheme = headerValues(event, "X-Forwarded-Proto")[0] === "http" ? "http" : "https";
  return `${scheme}://${hostForm.test(host) ? host : (event.requestContext.domainName ?? "")}`;
};

/** Returns the URL of a request without its query. */
export const addressOf = (event: APIGatewayProxyEvent): string => `${originOf(event)}${event.requestContext.path}`;

/**
 * Returns the base URL of the service as the client addressed it: scheme, host, and the stage or base path before the
 * route's path, without a trailing slash.
 */
export const serviceUrlOf = (event: APIGatewayProxyEvent, { path }: Route): string => {
  const routeSegments = path.split("/").length - 1;
  const prefix = event.requestContext.path.split("/").slice(0, -routeSegments).join("/");
  return `${originOf(event)}${prefix}`;
};
