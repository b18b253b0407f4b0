import { ApiError, ConnectionError, TimeoutError } from "./errors.ts";

/** Maximum backoff in milliseconds, unless `Retry-After` requests more. */
const maxBackoff = 8_000;

/** Maximum `Retry-After` in milliseconds; a call with a longer one is not retried but rejected. */
export const maxRetryAfter = 60_000;

const transient = new Set([429, 502, 503, 504]);

/**
 * True if a call may be retried: no connection, timeout, or status 429, 502, 503 or 504. Retries carry the same idempotency
 * key, so that nothing is created twice.
 */
const isTransient = (error: unknown): error is ApiError | ConnectionError | TimeoutError =>
  error instanceof ConnectionError ||
  error instanceof TimeoutError ||
  (error instanceof ApiError && transient.has(error.status));

/**
 * Returns the delay before the next attempt in milliseconds; null if there is no further attempt.
 *
 * @param attempts number of attempts so far, at least 1.
 * @param retries maximum number of retries.
 * @param random number from 0 (inclusive) to 1 (exclusive), for jitter.
 */
export const retryDelay = (error: unknown, attempts: number, retries: number, random: number): number | null => {
  if (attempts > retries || !isTransient(error)) return null;
  const requestedDelay = error instanceof ApiError ? error.retryAfter : null;
  if (requestedDelay !== null && requestedDelay > maxRetryAfter) return null;
  const backoff = Math.min(maxBackoff, 250 * 2 ** attempts) * (0.5 + random / 2);
  return Math.max(requestedDelay ?? 0, backoff);
};

/** Waits for a number of milliseconds. @throws the reason of the signal when it is aborted. */
export const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
