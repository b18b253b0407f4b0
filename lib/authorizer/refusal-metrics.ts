import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { publishMetrics } from "../published-metrics.ts";

type Authorize = (event: APIGatewayRequestAuthorizerEvent) => Promise<APIGatewayAuthorizerResult>;

/** Wraps the authorizer so that each refused caller counts in the service metric `RefusedCallers`. API Gateway's `4XXError` does not distinguish a 401 from other errors. */
export const withRefusalMetric =
  (authorize: Authorize): Authorize =>
  async (event) => {
    const result = await authorize(event);
    const isRefused = result.policyDocument.Statement.some(({ Effect }) => Effect === "Deny");
    if (isRefused)
      publishMetrics("caller_refused", { RefusedCallers: 1 }, { request_id: event.requestContext.requestId });
    return result;
  };
