import type { ServerResponse } from "node:http";
import { PayloadTooLarge, type Functions } from "../lambda/functions.ts";
import { type Authorization, functionArn } from "./authorizer.ts";
import { GatewayFault, type GatewayReply } from "./gateway-response.ts";
import { isBinary } from "./media-type.ts";
import { type GatewayRequest, requestContext, requestEvent } from "./proxy-event.ts";
import { proxyReply } from "./proxy-reply.ts";
import { streamedReply } from "./streamed-reply.ts";

/** Milliseconds: API Gateway's maximum timeout of a buffered integration, and Lambda's of a streamed one. */
const [bufferedTimeout, streamedTimeout] = [29_000, 900_000];

const eventOf = (request: GatewayRequest, authorization: Authorization | undefined, body: Buffer) => {
  const binary = isBinary(request.message.headers["content-type"], request.api.binaryMediaTypes);
  return {
    ...requestEvent(request),
    requestContext: {
      ...requestContext(request, authorization?.usageKey ?? null),
      ...(authorization && { authorizer: authorization.context }),
    },
    body: body.length === 0 ? null : body.toString(binary ? "base64" : "utf8"),
    isBase64Encoded: binary && body.length > 0,
  };
};

const withTimeout = async <T>(work: Promise<T>, milliseconds: number): Promise<T> => {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new GatewayFault("INTEGRATION_TIMEOUT")), milliseconds);
  try {
    return await Promise.race([work, timeout.promise]);
  } catch (error) {
    throw error instanceof PayloadTooLarge ? new GatewayFault("REQUEST_TOO_LARGE") : error;
  } finally {
    clearTimeout(timer);
  }
};

/** Calls the function behind a method and returns its buffered reply. @throws GatewayFault 413, 502 or 504. */
export const callFunction = async (
  functions: Functions,
  request: GatewayRequest,
  authorization: Authorization | undefined,
  body: Buffer,
): Promise<GatewayReply> => {
  const { integration } = request.operation;
  const invocation = functions.invoke(functionArn(integration.uri), eventOf(request, authorization, body));
  const outcome = await withTimeout(invocation, integration.timeoutInMillis ?? bufferedTimeout);
  if (outcome.error !== undefined) throw new GatewayFault("DEFAULT_5XX");
  return proxyReply(outcome.payload, request.message.headers.accept, request.api.binaryMediaTypes);
};

/** Calls a function and streams its reply to the client. @throws GatewayFault before the first byte; later failures close the connection. */
export const streamFunction = async (
  functions: Functions,
  request: GatewayRequest,
  authorization: Authorization | undefined,
  body: Buffer,
  response: ServerResponse,
  gatewayHeaders: Readonly<Record<string, string>>,
): Promise<void> => {
  const { integration } = request.operation;
  const reply = streamedReply(response, gatewayHeaders);
  const invocation = functions.stream(functionArn(integration.uri), eventOf(request, authorization, body), reply.write);
  try {
    const error = await withTimeout(invocation, integration.timeoutInMillis ?? streamedTimeout);
    if (error !== undefined) throw new GatewayFault("DEFAULT_5XX");
    reply.end();
  } catch (error) {
    if (!reply.isStarted) throw error;
    response.destroy();
  }
};
