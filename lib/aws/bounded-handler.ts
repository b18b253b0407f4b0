import { NodeHttpHandler } from "@smithy/node-http-handler";
import { Readable } from "node:stream";
import type { CallBounds } from "./call-bounds.ts";
import { keepAliveAgents } from "./keep-alive-agents.ts";

/** Creates a time-out error with the name that the SDK uses, so that the SDK retries it and it counts as an outage. */
const timeoutError = (milliseconds: number): Error =>
  Object.assign(new Error(`An attempt did not end within ${milliseconds} ms.`), {
    name: "TimeoutError",
    code: "ETIMEDOUT",
  });

/** Destroys a response body that is not read completely in time. Other time-outs do not notice a body that arrives byte by byte. */
const destroyAfter = (body: unknown, milliseconds: number, error: Error): void => {
  if (!(body instanceof Readable)) return;
  const timer = setTimeout(() => body.destroy(error), milliseconds);
  body.once("close", () => clearTimeout(timer));
};

/**
 * Creates the HTTP handler of one AWS client, which ends each attempt within its time limit. The SDK's own handler by default
 * only logs slow requests, and its time-out ends when the response begins.
 */
export const boundedHandler = ({ connection, reply, attempt, idle }: CallBounds): NodeHttpHandler => {
  const { closeIdle, ...agents } = keepAliveAgents(idle);
  const handler = new NodeHttpHandler({
    ...agents,
    connectionTimeout: connection,
    requestTimeout: reply,
    socketTimeout: reply,
    throwOnRequestTimeout: true,
  });
  const send = handler.handle.bind(handler);
  handler.handle = async (request, options) => {
    const startedAt = performance.now();
    closeIdle();
    const answer = await send(request, options);
    const remaining = attempt - (performance.now() - startedAt);
    destroyAfter(answer.response.body, Math.max(0, remaining), timeoutError(attempt));
    return answer;
  };
  return handler;
};
