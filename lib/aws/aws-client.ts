import { Readable } from "node:stream";
import { StandardRetryStrategy } from "@smithy/core/retry";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { type CallBounds, defaultBounds } from "./call-bounds.ts";
import { keepAliveAgents } from "./keep-alive.ts";
import { deadlineError, timeLeft } from "./request-deadline.ts";
import { type SdkClient, withoutCopies } from "./without-copies.ts";

/** Connections per agent, more than a function has concurrent calls: judge workers process 20 targets concurrently. */
const maxConnections = 50;

/** Creates a time-out error with the name that the SDK uses, so that the SDK retries it and it counts as an outage. */
const timeoutError = (milliseconds: number): Error =>
  Object.assign(new Error(`An attempt did not end within ${milliseconds} ms.`), {
    name: "TimeoutError",
    code: "ETIMEDOUT",
  });

/**
 * Destroys a response body that is not read completely in time. Other time-outs do not notice a body that arrives byte by byte.
 *
 * @param errorOf creates the error, whose stack trace would cost every call if it were created before the time-out.
 */
const destroyAfter = (body: unknown, milliseconds: number, errorOf: () => Error): void => {
  if (!(body instanceof Readable)) return;
  const timer = setTimeout(() => body.destroy(errorOf()), milliseconds);
  body.once("close", () => clearTimeout(timer));
};

/**
 * Creates the HTTP handler of one AWS client, which ends each attempt within its time limit and at the deadline of the
 * work that it belongs to. The SDK's own handler by default only logs slow requests, and its time-out ends when the response
 * begins.
 */
export const boundedHandler = ({ connection, reply, attempt, idle }: CallBounds): NodeHttpHandler => {
  const { closeIdle, ...agents } = keepAliveAgents(idle, maxConnections);
  const handler = new NodeHttpHandler({
    ...agents,
    connectionTimeout: connection,
    requestTimeout: reply,
    socketTimeout: reply,
    throwOnRequestTimeout: true,
  });
  const send = handler.handle.bind(handler);
  /** Sends a request, and aborts it at the deadline of the current work if that comes before its time-out. */
  const sendInTime: typeof send = async (request, options) => {
    const workTime = timeLeft();
    if (workTime <= 0) throw deadlineError();
    if (workTime >= reply) return await send(request, options);
    const deadline = AbortSignal.timeout(workTime);
    const signals = options?.abortSignal instanceof AbortSignal ? [options.abortSignal, deadline] : [deadline];
    try {
      return await send(request, { ...options, abortSignal: AbortSignal.any(signals) });
    } catch (error) {
      throw deadline.aborted ? deadlineError() : error;
    }
  };
  handler.handle = async (request, options) => {
    const startedAt = performance.now();
    closeIdle();
    const answer = await sendInTime(request, options);
    const [attemptTime, workTime] = [attempt - (performance.now() - startedAt), timeLeft()];
    destroyAfter(answer.response.body, Math.max(0, Math.min(attemptTime, workTime)), () =>
      workTime < attemptTime ? deadlineError() : timeoutError(attempt),
    );
    return answer;
  };
  return handler;
};

/** Retry strategy of an AWS client. */
type RetryStrategy = Pick<
  StandardRetryStrategy,
  "acquireInitialRetryToken" | "refreshRetryTokenForRetry" | "recordSuccess"
>;

/**
 * Creates the SDK's standard retry strategy with limited pauses: the SDK's default pauses up to 20 s, and up to 5 s longer on a
 * retry-after hint of the response.
 */
export const boundedRetries = ({ attempts, pause }: Pick<CallBounds, "attempts" | "pause">): RetryStrategy => {
  let base = 0;
  const standard = new StandardRetryStrategy({
    maxAttempts: attempts,
    backoff: {
      setDelayBase: (milliseconds) => {
        base = milliseconds;
      },
      computeNextBackoffDelay: (retryCount) => Math.floor(Math.random() * Math.min(pause, base * 2 ** retryCount)),
    },
  });
  return {
    acquireInitialRetryToken: (scope) => standard.acquireInitialRetryToken(scope),
    refreshRetryTokenForRetry: (token, info) => {
      const { retryAfterHint, ...withoutHint } = info;
      return standard.refreshRetryTokenForRetry(token, retryAfterHint === undefined ? info : withoutHint);
    },
    recordSuccess: (token) => standard.recordSuccess(token),
  };
};

/** Constructor settings that limit the time and the attempts of every call. */
interface ClientSettings {
  readonly maxAttempts: number;
  readonly retryStrategy: ReturnType<typeof boundedRetries>;
  readonly requestHandler: ReturnType<typeof boundedHandler>;
}

/**
 * Creates an AWS client with the credentials and the Region of the environment; all clients are created here. Calls end within
 * `maxCallMilliseconds` of their bounds, an unanswered one with a `TimeoutError`.
 */
export const awsClient = <Client extends SdkClient>(
  Service: new (settings: ClientSettings) => Client,
  bounds: CallBounds = defaultBounds,
): Client =>
  withoutCopies(
    new Service({
      maxAttempts: bounds.attempts,
      retryStrategy: boundedRetries(bounds),
      requestHandler: boundedHandler(bounds),
    }),
  );
