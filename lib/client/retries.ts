import { ApiError, ConnectionError, TimeoutError } from "./errors.ts";

/** The longest pause before another try, where the service does not ask for a longer one. */
const longestPause = 8_000;

/** A `Retry-After` above this is the caller's to decide about. */
const longestWait = 60_000;

const transient = new Set([429, 502, 503, 504]);

/**
 * Whether a call may be made again as it was. Each carries a key by which the service knows the repetition, so that nothing
 * is made twice.
 */
const isTransient = (error: unknown): error is ApiError | ConnectionError | TimeoutError =>
  error instanceof ConnectionError ||
  error instanceof TimeoutError ||
  (error instanceof ApiError && transient.has(error.status));

/**
 * How long to wait before the next try, in milliseconds; null when there is to be none.
 *
 * @param made tries so far, 1 at least.
 * @param random from 0 to below 1.
 */
export const pauseBefore = (error: unknown, made: number, retries: number, random: number): number | null => {
  if (made > retries || !isTransient(error)) return null;
  const asked = error instanceof ApiError ? error.retryAfter : null;
  if (asked !== null && asked > longestWait) return null;
  const drawn = Math.min(longestPause, 250 * 2 ** made) * (0.5 + random / 2);
  return Math.max(asked ?? 0, drawn);
};

/** Waits, unless it is aborted. @throws the signal's reason. */
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
