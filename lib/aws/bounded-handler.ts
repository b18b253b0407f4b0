import { NodeHttpHandler } from "@smithy/node-http-handler";
import { Readable } from "node:stream";
import type { CallBounds } from "./call-bounds.ts";
import { keepAliveAgents } from "./keep-alive-agents.ts";

/** As the SDK's own handler says it: it is repeated, and known as an outage, by this name. */
const overdue = (milliseconds: number): Error =>
  Object.assign(new Error(`An attempt has not ended within ${milliseconds} ms.`), {
    name: "TimeoutError",
    code: "ETIMEDOUT",
  });

/** Ends the reading of a body that is not read whole in time: bytes that come one by one keep every other time-out away. */
const endWithin = (body: unknown, milliseconds: number, error: Error): void => {
  if (!(body instanceof Readable)) return;
  const timer = setTimeout(() => body.destroy(error), milliseconds);
  body.once("close", () => clearTimeout(timer));
};

/**
 * Sends the requests of one client, each attempt within its bounds. The SDK's handler by itself only logs that a request
 * takes too long, and its watch ends where the answer begins.
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
    const begun = performance.now();
    closeIdle();
    const answer = await send(request, options);
    const left = attempt - (performance.now() - begun);
    endWithin(answer.response.body, Math.max(0, left), overdue(attempt));
    return answer;
  };
  return handler;
};
