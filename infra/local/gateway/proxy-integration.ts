import type { ServerResponse } from "node:http";
import { PayloadTooLarge, type Functions } from "../lambda/functions.ts";
import type { Authorized } from "./authorizer.ts";
import { functionArn } from "./authorizer.ts";
import { GatewayFault, type Reply } from "./gateway-response.ts";
import { isBinary } from "./media-type.ts";
import { type GatewayRequest, requestContext, requestEvent } from "./proxy-event.ts";
import { proxyReply } from "./proxy-reply.ts";
import { streamedReply } from "./streamed-reply.ts";

/** API Gateway's ceiling for a buffered integration, and Lambda's for a streamed one. */
const [bufferedTimeout, streamedTimeout] = [29_000, 900_000];

const eventOf = (request: GatewayRequest, authorized: Authorized | undefined, body: Buffer) => {
  const binary = isBinary(request.message.headers["content-type"], request.api.binaryMediaTypes);
  return {
    ...requestEvent(request),
    requestContext: {
      ...requestContext(request, authorized?.usageKey ?? null),
      ...(authorized && { authorizer: authorized.context }),
    },
    body: body.length === 0 ? null : body.toString(binary ? "base64" : "utf8"),
    isBase64Encoded: binary && body.length > 0,
  };
};

const inTime = async <T>(work: Promise<T>, milliseconds: number): Promise<T> => {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new GatewayFault("INTEGRATION_TIMEOUT")), milliseconds);
  try {
    return await Promise.race([work, late.promise]);
  } catch (error) {
    throw error instanceof PayloadTooLarge ? new GatewayFault("REQUEST_TOO_LARGE") : error;
  } finally {
    clearTimeout(timer);
  }
};

/** Calls the function behind a method. @throws GatewayFault 413, 502 or 504. */
export const callFunction = async (
  functions: Functions,
  request: GatewayRequest,
  authorized: Authorized | undefined,
  body: Buffer,
): Promise<Reply> => {
  const { integration } = request.operation;
  const called = functions.invoke(functionArn(integration.uri), eventOf(request, authorized, body));
  const outcome = await inTime(called, integration.timeoutInMillis ?? bufferedTimeout);
  if (outcome.error !== undefined) throw new GatewayFault("DEFAULT_5XX");
  return proxyReply(outcome.payload, request.message.headers.accept, request.api.binaryMediaTypes);
};

/** Calls a function whose reply streams. @throws GatewayFault as long as nothing was sent; later failures cut the reply. */
export const streamFunction = async (
  functions: Functions,
  request: GatewayRequest,
  authorized: Authorized | undefined,
  body: Buffer,
  response: ServerResponse,
  gatewayHeaders: Readonly<Record<string, string>>,
): Promise<void> => {
  const { integration } = request.operation;
  const reply = streamedReply(response, gatewayHeaders);
  const called = functions.stream(functionArn(integration.uri), eventOf(request, authorized, body), reply.write);
  try {
    const error = await inTime(called, integration.timeoutInMillis ?? streamedTimeout);
    if (error !== undefined) throw new GatewayFault("DEFAULT_5XX");
    reply.end();
  } catch (error) {
    if (!reply.started) throw error;
    response.destroy();
  }
};
