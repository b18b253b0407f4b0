import { withRetries, throwUnavailable, type tryAgain } from "../../dynamo/with-retries.ts";
import { traceWriteRetryPolicy } from "../../dynamo/retry-policies.ts";

/**
 * Retries a change of a trace until no other writer interferes.
 *
 * @param change returns `tryAgain` when another writer was faster.
 * @throws Refusal `unavailable` when other writers were faster at every attempt.
 */
export const retryUntilUnlocked = <Result>(change: () => Promise<Result | typeof tryAgain>): Promise<Result> =>
  withRetries(
    traceWriteRetryPolicy,
    throwUnavailable("The trace is being changed by many requests. Try again."),
    change,
  );
