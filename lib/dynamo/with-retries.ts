import { setTimeout as wait } from "node:timers/promises";
import { Refusal } from "../domain/refusal.ts";
import { Contention, isCancelledByThrottle, isLostRace, Overload } from "./failure.ts";
import { throttledTransactionRetryPolicy, type RetryPolicy } from "./retry-policies.ts";

/** Returned by work that lost a race with another writer, to request the next attempt. */
export const tryAgain = Symbol("again");

/** Clock and random source of the waits between attempts; tests replace them. */
export interface RetryTiming {
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  /** Returns a number from 0 to below 1. */
  readonly random?: () => number;
}

/**
 * Runs `work` until it returns a result. A new attempt starts from the work's first read when `work` returns
 * `tryAgain` or a write of it loses a race (see `isLostRace`). A transaction cancelled because an item was throttled
 * is repeated under `throttledTransactionRetryPolicy`, counted separately. Any other error is thrown at once.
 *
 * @param otherwise computes the outcome once `policy.times` attempts have been lost; receives the error of the last
 *   attempt, if there was one.
 * @throws Overload when a transaction is throttled at every attempt of `throttledTransactionRetryPolicy`.
 * @example
 * const change = () => withRetries(requestRetryPolicy, throwUnavailable("The item is busy. Try again."), async () => {
 *   const before = await read();
 *   return (await succeeds(write(before))) || tryAgain;
 * });
 */
export const withRetries = async <Result>(
  policy: RetryPolicy,
  otherwise: (lastError: unknown) => Result,
  work: () => Promise<Result | typeof tryAgain>,
  { sleep = wait, random = Math.random }: RetryTiming = {},
): Promise<Result> => {
  const pauseFor = async (maxMilliseconds: number): Promise<void> => {
    const pause = random() * maxMilliseconds;
    if (pause > 0) await sleep(pause);
  };
  for (let [attempts, throttles] = [0, 0]; ;) {
    let lastError: unknown;
    try {
      const outcome = await work();
      if (outcome !== tryAgain) return outcome;
    } catch (error) {
      lastError = error;
    }
    if (lastError === undefined || isLostRace(lastError)) {
      attempts += 1;
      if (attempts === policy.times) return otherwise(lastError);
      await pauseFor(policy.wait(attempts));
    } else {
      throttles += 1;
      if (!isCancelledByThrottle(lastError)) throw lastError;
      // `Overload` is not a lost race: an enclosing `withRetries` does not repeat all of its work.
      if (throttles === throttledTransactionRetryPolicy.times)
        throw new Overload("An item of a transaction was throttled at every attempt.", { cause: lastError });
      await pauseFor(throttledTransactionRetryPolicy.wait(throttles));
    }
  }
};

/**
 * Returns a function that throws a Refusal `unavailable` (HTTP 503) with this text: the client may repeat the
 * request.
 */
export const throwUnavailable = (detail: string) => (): never => {
  throw new Refusal({ kind: "unavailable", detail });
};

/**
 * Returns a function that throws `Contention` with this message and the last error as its cause, for work whose
 * caller cannot recover.
 */
export const throwContention =
  (message: string) =>
  (lastError: unknown): never => {
    throw new Contention(message, { cause: lastError });
  };

/**
 * Throws `Overload`, because DynamoDB returned items of a batch as unprocessed at every attempt. A request answers
 * 503.
 */
export const throwOverload = (): never => {
  throw new Overload("DynamoDB left items of a batch unprocessed at every attempt.");
};
