import { isThrottled } from "../../dynamo/failure.ts";
import type { Settled } from "../../store/runs/settled-pairs.ts";

/** Buffer that groups outcomes of a run slice into few transactions. */
export interface CommitGroup {
  /** Queues one settled pair or signal for the next commit. */
  add(settled: Settled): void;
  /** Commits all queued outcomes. Rejects with the error of the failed commit, if any. */
  drain(): Promise<void>;
  /** True if a commit has failed: the group commits nothing more. */
  readonly failed: boolean;
}

interface GroupingOptions {
  /** Outcomes per commit, at most. */
  readonly maxSize: number;
  /** Milliseconds that an outcome waits in the group before a commit, full or not, starts. */
  readonly maxDelay: number;
  /** True if there is time to retry a throttled commit. */
  readonly canRetry: () => boolean;
}

/** Throttled commits in a row after which the group fails; each takes 1.6 s on average. */
const maxThrottledCommits = 60;

/**
 * Groups outcomes of judge calls into few transactions, one at a time. A throttled transaction is retried with half as many
 * outcomes, because the judge calls behind them are already paid for.
 *
 * @param commit writes one batch; the next call starts after the previous one has ended.
 */
export const commitGroup = (
  commit: (batch: readonly Settled[]) => Promise<void>,
  { maxSize, maxDelay, canRetry }: GroupingOptions,
): CommitGroup => {
  let pending: Settled[] = [];
  let timer: NodeJS.Timeout | undefined;
  let failure: { readonly error: unknown } | undefined;
  let running: Promise<void> | undefined;

  const hasWork = (): boolean => pending.length > 0 && failure === undefined;

  const run = async (): Promise<void> => {
    let [batchSize, throttled] = [maxSize, 0];
    while (hasWork()) {
      const batch = pending.slice(0, batchSize);
      pending = pending.slice(batchSize);
      try {
        await commit(batch);
        [batchSize, throttled] = [Math.min(maxSize, 2 * batchSize), 0];
      } catch (error) {
        throttled += 1;
        if (isThrottled(error) && throttled < maxThrottledCommits && canRetry()) {
          pending = [...batch, ...pending];
          batchSize = Math.ceil(batch.length / 2);
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
    add: (settled) => {
      pending.push(settled);
      if (pending.length >= maxSize) void flush();
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
