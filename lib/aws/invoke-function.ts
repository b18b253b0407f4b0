import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { boundedHandler } from "./aws-client.ts";
import type { CallBounds } from "./call-bounds.ts";
import { signedRequest } from "./signed-request.ts";

/** Invokes a Lambda function and waits for its result. The function may receive the event more than once. */
export type InvokeFunction = (name: string, event: unknown) => Promise<unknown>;

type Environment = Readonly<Record<string, string | undefined>>;

/** True for an HTTP status with which Lambda reports throttling or an outage. */
const isTransient = (status: number): boolean => status === 429 || status >= 500;

/** Creates an error that counts as an outage, so that a request is answered with 503. */
const unavailableError = (message: string): Error => Object.assign(new Error(message), { name: "ServiceUnavailable" });

/** Returns the endpoint of Lambda; the SDKs' standard variable overrides it. */
const endpointOf = (region: string, environment: Environment): URL =>
  new URL(
    environment["AWS_ENDPOINT_URL_LAMBDA"] ??
      `https://lambda.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`,
  );

/**
 * Creates an invoker of Lambda functions with the Region and credentials of the environment. It works without the SDK's Lambda
 * client, which would be in the bundle of every endpoint for one request per project.
 *
 * @throws Error `ServiceUnavailable` if Lambda is throttled or unavailable at every attempt, `TimeoutError` if it does not
 *   answer, any other if the function failed.
 */
export const functionInvoker = (bounds: CallBounds, environment: Environment = process.env): InvokeFunction => {
  const handler = boundedHandler(bounds);

  const send = async (name: string, body: string): Promise<{ status: number; failed: boolean; reply: string }> => {
    const region = environment["AWS_REGION"] ?? "";
    const request = await signedRequest({
      service: "lambda",
      region,
      credentials: {
        accessKeyId: environment["AWS_ACCESS_KEY_ID"] ?? "",
        secretAccessKey: environment["AWS_SECRET_ACCESS_KEY"] ?? "",
        ...(environment["AWS_SESSION_TOKEN"] !== undefined && { sessionToken: environment["AWS_SESSION_TOKEN"] }),
      },
      endpoint: endpointOf(region, environment),
      method: "POST",
      path: `/2015-03-31/functions/${encodeURIComponent(name)}/invocations`,
      headers: { "content-type": "application/json", "x-amz-invocation-type": "RequestResponse" },
      body,
    });
    const { response } = await handler.handle(request);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the handler returns bodies as streams.
    const reply = await text(response.body as Readable);
    return { status: response.statusCode, failed: response.headers["x-amz-function-error"] !== undefined, reply };
  };

  const attempt = async (name: string, body: string): Promise<unknown> => {
    const { status, failed, reply } = await send(name, body);
    if (isTransient(status)) throw unavailableError(`Lambda answered ${status}.`);
    if (status !== 200 || failed) throw new Error(`The call of ${name} failed (${status}).`);
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
