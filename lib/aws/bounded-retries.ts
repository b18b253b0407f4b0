import { StandardRetryStrategy } from "@smithy/core/retry";
import type { CallBounds } from "./call-bounds.ts";

/** What a client repeats by itself, and when. */
type Retries = Pick<StandardRetryStrategy, "acquireInitialRetryToken" | "refreshRetryTokenForRetry" | "recordSuccess">;

/**
 * The SDK's repetitions with pauses that have a limit: its own wait up to 20 s for one, and up to 5 s longer where the
 * answer says so.
 */
export const boundedRetries = ({ attempts, pause }: Pick<CallBounds, "attempts" | "pause">): Retries => {
  let base = 0;
  const standard = new StandardRetryStrategy({
    maxAttempts: attempts,
    backoff: {
      setDelayBase: (milliseconds) => {
        base = milliseconds;
      },
      computeNextBackoffDelay: (made) => Math.floor(Math.random() * Math.min(pause, base * 2 ** made)),
    },
  });
  return {
    acquireInitialRetryToken: (scope) => standard.acquireInitialRetryToken(scope),
    refreshRetryTokenForRetry: (token, info) => {
      const { retryAfterHint, ...hintless } = info;
      return standard.refreshRetryTokenForRetry(token, retryAfterHint === undefined ? info : hintless);
    },
    recordSuccess: (token) => standard.recordSuccess(token),
  };
};
