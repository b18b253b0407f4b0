/** Clock, sleep and randomness of model calls; tests inject their own. */
export interface CallTiming {
  /** Current time, epoch milliseconds. */
  readonly now: () => number;
  /** Resolves after the given milliseconds, or at once when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
  /** Time-out of a single call, milliseconds. */
  readonly maxCallTime: number;
}

/** Longest delay of setTimeout in milliseconds; it treats longer ones as 1 ms. */
const maxTimerDelay = 2 ** 31 - 1;

/** Waits for work until a deadline, epoch milliseconds; null if it has not ended by then. The work itself goes on. */
export const untilDeadline = async <Result>(
  { now, sleep }: Pick<CallTiming, "now" | "sleep">,
  deadline: number,
  work: Promise<Result>,
): Promise<Result | null> => {
  const completion = new AbortController();
  const timeIsUp = async (): Promise<null> => {
    await sleep(Math.min(Math.max(0, deadline - now()), maxTimerDelay), completion.signal);
    return null;
  };
  try {
    return await Promise.race([work, timeIsUp()]);
  } finally {
    // abort() without a reason would create an error with a stack trace for each judgement.
    completion.abort("answered");
  }
};
