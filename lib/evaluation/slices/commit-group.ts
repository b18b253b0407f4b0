import { isThrottled } from "../../store/failure.ts";
import type { Settled } from "../../store/runs/settled.ts";

export interface CommitGroup {
  /** Hands what is settled over to be committed with its neighbours. */
  add(one: Settled): void;
  /** Commits what was handed over; rejects with what a commit failed with. */
  drain(): Promise<void>;
  /** Whether a commit has failed: nothing more can be committed. */
  readonly failed: boolean;
}

interface Grouping {
  /** Of one commit, at most. */
  readonly size: number;
  /** Milliseconds after which what is settled is committed, however little it is. */
  readonly patience: number;
  /** Whether there is time to make a throttled commit again. */
  readonly mayRepeat: () => boolean;
}

/** Throttled commits in a row after which no more are made: each has taken 1.6 s on average. */
const mostThrottled = 60;

/**
 * Groups what is settled into few transactions, one after the other. What DynamoDB has no capacity for is committed in
 * smaller ones, again and again: it has been paid for.
 *
 * @param commit commits some of it; never called while it is running.
 */
export const commitGroup = (
  commit: (some: readonly Settled[]) => Promise<void>,
  { size, patience, mayRepeat }: Grouping,
): CommitGroup => {
  let pending: Settled[] = [];
  let timer: NodeJS.Timeout | undefined;
  let failure: { readonly error: unknown } | undefined;
  let running: Promise<void> | undefined;

  const hasWork = (): boolean => pending.length > 0 && failure === undefined;

  const run = async (): Promise<void> => {
    let [most, throttled] = [size, 0];
    while (hasWork()) {
      const some = pending.slice(0, most);
      pending = pending.slice(most);
      try {
        await commit(some);
        [most, throttled] = [Math.min(size, 2 * most), 0];
      } catch (error) {
        throttled += 1;
        if (isThrottled(error) && throttled < mostThrottled && mayRepeat()) {
          pending = [...some, ...pending];
          most = Math.ceil(some.length / 2);
        } else failure = { error };
      }
    }
  };

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };

  return {
    add: (one) => {
      pending.push(one);
      if (pending.length >= size) void flush();
      else timer ??= setTimeout(() => void flush(), patience);
    },
    drain: async () => {
      while (hasWork()) await flush();
      await running;
      if (failure !== undefined) throw failure.error;
    },
    get failed() {
      return failure !== undefined;
    },
  };
};
