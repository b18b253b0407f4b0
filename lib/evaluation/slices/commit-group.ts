import { isThrottled } from "../../dynamo/failure.ts";
import type { Settled } from "../../store/runs/settled-pairs.ts";

/** Buffer that groups outcomes of a run slice into few transactions. */
export interface CommitGroup {
  /** Queues settled pairs or signals for the next commit, which stores all of one call together or none. */
  add(...unit: readonly Settled[]): void;
  /** Commits all queued outcomes. Rejects with the error of the failed commit, if any. */
  drain(): Promise<void>;
  /** True if a commit has failed: the group commits nothing more. */
  readonly failed: boolean;
}

interface GroupingOptions {
  /** Computes the size of a commit of outcomes. */
  readonly sizeOf: (outcomes: readonly Settled[]) => number;
  /** Size of a commit, at most; a unit alone may be larger than the size to which throttling has reduced it. */
  readonly maxSize: number;
  /** Milliseconds that an outcome waits in the group before a commit, full or not, starts. */
  readonly maxDelay: number;
  /** True if there is time to retry a throttled commit. */
  readonly canRetry: () => boolean;
}

/** Throttled commits in a row after which the group fails; each takes 1.6 s on average. */
const maxThrottledCommits = 60;

/**
 * Groups outcomes of judge calls into few transactions, one at a time. A throttled transaction is retried with half the size,
 * because the judge calls behind them are already paid for.
 *
 * @param commit writes one batch; the next call starts after the previous one has ended.
 */
export const commitGroup = (
  commit: (batch: readonly Settled[]) => Promise<void>,
  { sizeOf, maxSize, maxDelay, canRetry }: GroupingOptions,
): CommitGroup => {
  let pending: (readonly Settled[])[] = [];
  let timer: NodeJS.Timeout | undefined;
  let failure: { readonly error: unknown } | undefined;
  let running: Promise<void> | undefined;

  const hasWork = (): boolean => pending.length > 0 && failure === undefined;

  /** Takes the next units that fit into a size, and at least one. */
  const nextUnits = (size: number): readonly (readonly Settled[])[] => {
    const firstBeyond = pending.findIndex((_, index) => index > 0 && sizeOf(pending.slice(0, index + 1).flat()) > size);
    const units = firstBeyond === -1 ? pending : pending.slice(0, firstBeyond);
    pending = pending.slice(units.length);
    return units;
  };

  const run = async (): Promise<void> => {
    let [batchSize, throttled] = [maxSize, 0];
    while (hasWork()) {
      const units = nextUnits(batchSize);
      try {
        await commit(units.flat());
        [batchSize, throttled] = [Math.min(maxSize, 2 * batchSize), 0];
      } catch (error) {
        throttled += 1;
        if (isThrottled(error) && throttled < maxThrottledCommits && canRetry()) {
          pending = [...units, ...pending];
          batchSize = Math.max(1, Math.ceil(sizeOf(units.flat()) / 2));
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
    add: (...unit) => {
      pending.push(unit);
      if (sizeOf(pending.flat()) >= maxSize) void flush();
      else timer ??= setTimeout(() => void flush(), maxDelay);
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
