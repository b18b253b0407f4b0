import { setTimeout as wait } from "node:timers/promises";
import type { CallBounds } from "./call-bounds.ts";
import type { Environment } from "./environment-credentials.ts";
import { lambdaRequests } from "./lambda-requests.ts";

/** Invokes a Lambda function and waits for its result. The function may receive the event more than once. */
export type InvokeFunction = (name: string, event: unknown) => Promise<unknown>;

/** True for an HTTP status with which Lambda reports throttling or an outage. */
const isTransient = (status: number): boolean => status === 429 || status >= 500;

/** The request of an invocation. */
const invocation = (name: string, body: string, type: "Event" | "RequestResponse") => ({
  method: "POST" as const,
  path: `/2015-03-31/functions/${encodeURIComponent(name)}/invocations`,
  headers: { "content-type": "application/json", "x-amz-invocation-type": type },
  body,
});

/** Creates an error that counts as an outage, so that a request is answered with 503. */
const unavailableError = (message: string): Error => Object.assign(new Error(message), { name: "ServiceUnavailable" });

/** Starts a Lambda function without waiting for its result. The function may receive the event more than once. */
export type StartFunction = (name: string, event: unknown) => Promise<void>;

/**
 * Creates a starter of Lambda functions with the Region and credentials of the environment.
 *
 * @throws Error if Lambda does not accept the event: a caller on a schedule starts the function at its next time.
 */
export const functionStarter = (bounds: CallBounds, environment: Environment = process.env): StartFunction => {
  const send = lambdaRequests(bounds, environment);
  return async (name, event) => {
    const { status } = await send(invocation(name, JSON.stringify(event), "Event"));
    if (status !== 202) throw new Error(`The start of ${name} failed (${status}).`);
  };
};

/**
 * Creates an invoker of Lambda functions with the Region and credentials of the environment.
 *
 * @throws Error `ServiceUnavailable` if Lambda is throttled or unavailable at every attempt, `TimeoutError` if it does not
 *   answer, any other if the function failed.
 */
export const functionInvoker = (bounds: CallBounds, environment: Environment = process.env): InvokeFunction => {
  const send = lambdaRequests(bounds, environment);

  const attempt = async (name: string, body: string): Promise<unknown> => {
    const { status, headers, reply } = await send(invocation(name, body, "RequestResponse"));
    if (isTransient(status)) throw unavailableError(`Lambda answered ${status}.`);
    if (status !== 200 || headers["x-amz-function-error"] !== undefined)
      throw new Error(`The call of ${name} failed (${status}).`);
    return JSON.parse(reply);
  };

  return async (name, event) => {
    const body = JSON.stringify(event);
    for (let attemptNumber = 1; ; attemptNumber += 1) {
      try {
        return await attempt(name, body);
      } catch (error) {
        const isPermanent = error instanceof Error && error.name === "Error" && !("code" in error);
        if (isPermanent || attemptNumber === bounds.attempts) throw error;
        await wait(Math.random() * bounds.pause);
      }
    }
  };
};
