import type { APIGatewayProxyEvent } from "aws-lambda";
import { expect, test } from "vitest";
import { getHealth } from "../../../lib/contract/service.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { newExchange } from "../../../lib/http/exchange.ts";
import { faultReply, refusalReply, successHeaders } from "../../../lib/http/reply.ts";

const event = {
  resource: "/health",
  multiValueHeaders: {},
  requestContext: { domainName: "api.example.com", path: "/dev/health", requestId: "r-1" },
} as unknown as APIGatewayProxyEvent;
const exchange = newExchange(event, getHealth);

test.each([
  ["an answer", successHeaders(exchange)],
  ["a refusal", refusalReply(notFound("Nothing is here."), exchange, () => 1).headers],
  ["a fault", faultReply(exchange).headers],
])("%s tells browsers to use HTTPS and to believe its content type", (_, headers) => {
  expect(headers).toMatchObject({
    "Strict-Transport-Security": "max-age=31536000",
    "X-Content-Type-Options": "nosniff",
  });
});
