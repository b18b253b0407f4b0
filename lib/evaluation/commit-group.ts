import type { SettledPair } from "../store/settlement.ts";

/** A judgement is durable this soon after it was made, at the latest. */
const groupMilliseconds = 250;

export interface CommitGroup {
  /** Hands a settled pair over to be committed with its neighbours. */
  add(pair: SettledPair): void;
  /** Commits what was handed over; rejects with what a commit failed with. */
  drain(): Promise<void>;
  /** Whether a commit has failed: nothing more can be committed. */
  readonly failed: boolean;
}

/**
 * Groups settled pairs into few transactions, one after the other.
 *
 * @param commit commits some pairs; never called while it is running.
 * @param size pairs in one commit, at most.
 */
export const commitGroup = (commit: (pairs: readonly SettledPair[]) => Promise<void>, size: number): CommitGroup => {
  let pending: SettledPair[] = [];
  let timer: NodeJS.Timeout | undefined;
  let failure: { readonly error: unknown } | undefined;
  let running: Promise<void> | undefined;

  const hasWork = (): boolean => pending.length > 0 && failure === undefined;

  const run = async (): Promise<void> => {
    while (hasWork()) {
      const pairs = pending.slice(0, size);
      pending = pending.slice(size);
      try {
        await commit(pairs);
      } catch (error) {
        failure = { error };
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
    add: (pair) => {
      pending.push(pair);
      if (pending.length >= size) void flush();
      else timer ??= setTimeout(() => void flush(), groupMilliseconds);
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
