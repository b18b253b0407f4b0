import { StandardRetryStrategy } from "@smithy/core/retry";
import type { CallBounds } from "./call-bounds.ts";

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
