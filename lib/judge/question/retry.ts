import type { RetriedCode } from "../../domain/scores/reason-codes.ts";
import type { Failure } from "../providers/provider.ts";

/** A provider that asks for a longer wait gets it from the queue: a worker does not sit and wait. */
const longestWait = 20_000;

/** A call with less time than this (milliseconds) is not worth making. */
export const shortestCall = 1000;

/** Waits when the provider asks for none, and what chance adds to them. */
const waits: Readonly<Record<RetriedCode, { readonly least: number; readonly jitter: number }>> = {
  judge_malformed: { least: 0, jitter: 0 },
  judge_rate_limited: { least: 1000, jitter: 1000 },
  judge_unavailable: { least: 250, jitter: 500 },
};

const isRetried = (code: string): code is RetriedCode => Object.hasOwn(waits, code);

/**
 * Milliseconds to wait before a failed call is made once more in this process, or null when it is not.
 *
 * @param left milliseconds until the deadline.
 * @param random a number in [0, 1), the jitter: workers that failed together must not come back together.
 */
export const waitBeforeRetry = (
  { code, retryAfter }: Pick<Failure, "code" | "retryAfter">,
  left: number,
  random: number,
): number | null => {
  if (!isRetried(code) || (retryAfter ?? 0) > longestWait) return null;
  const wait = (retryAfter ?? waits[code].least) + Math.round(waits[code].jitter * random);
  return wait + shortestCall <= left ? wait : null;
};
