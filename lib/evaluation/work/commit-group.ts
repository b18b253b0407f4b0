import type { Settled } from "../../store/runs/settled.ts";

export interface CommitGroup {
  /** Hands what is settled over to be committed with its neighbours. */
  add(one: Settled): void;
  /** Commits what was handed over; rejects with what a commit failed with. */
  drain(): Promise<void>;
  /** Whether a commit has failed: nothing more can be committed. */
  readonly failed: boolean;
}

/**
 * Groups what is settled into few transactions, one after the other.
 *
 * @param commit commits some of it; never called while it is running.
 * @param size of one commit, at most.
 * @param patience milliseconds after which what is settled is committed, however little it is.
 */
export const commitGroup = (
  commit: (some: readonly Settled[]) => Promise<void>,
  { size, patience }: { readonly size: number; readonly patience: number },
): CommitGroup => {
  let pending: Settled[] = [];
  let timer: NodeJS.Timeout | undefined;
  let failure: { readonly error: unknown } | undefined;
  let running: Promise<void> | undefined;

  const hasWork = (): boolean => pending.length > 0 && failure === undefined;

  const run = async (): Promise<void> => {
    while (hasWork()) {
      const some = pending.slice(0, size);
      pending = pending.slice(size);
      try {
        await commit(some);
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
