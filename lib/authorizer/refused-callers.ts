import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { publishMetrics } from "../published-metrics.ts";

type Authorize = (event: APIGatewayRequestAuthorizerEvent) => Promise<APIGatewayAuthorizerResult>;

/** Makes the authorizer publish whom it turns away: the gateway's own 4XXError does not tell a 401 from other refusals. */
export const publishingRefusals =
  (authorize: Authorize): Authorize =>
  async (event) => {
    const result = await authorize(event);
    const isRefused = result.policyDocument.Statement.some(({ Effect }) => Effect === "Deny");
    if (isRefused)
      publishMetrics("caller_refused", { RefusedCallers: 1 }, { request_id: event.requestContext.requestId });
    return result;
  };
