import { roundDollars } from "../../domain/runs/budget.ts";

interface NotedCallsOptions {
  /**
   * Stores what the calls of this delivery that are not committed cost at most, US dollars.
   *
   * @param noted the amount that is stored.
   */
  readonly store: (usd: number, noted: number) => Promise<void>;
  /** Returns the committed cost of this delivery, US dollars. */
  readonly committed: () => number;
  /** Returns the amount to store when `noted` does not cover `needed`. @param call highest cost of the call that begins. */
  readonly next: (needed: number, noted: number, call: number) => number;
}

/** Calls of one delivery. Amounts are US dollars. */
interface NotedCalls {
  /** Begins a call when what is stored covers it too. @returns the function that records the ended call's cost. */
  readonly begin: (maxUsd: number) => Promise<(usd: number) => void>;
  /** Returns the cost of all ended calls. */
  readonly spent: () => number;
  /** Returns what all calls that are not committed cost at most. */
  readonly uncommitted: () => number;
  /** Takes note of an amount that was stored otherwise. */
  readonly setNoted: (usd: number) => void;
}

/**
 * Keeps a stored bound of what calls cost that are begun and not committed, so that whoever takes over from a dead worker can tell what
 * it may have spent. The bound grows before a call that it does not cover begins; calls that begin meanwhile share the write.
 */
export const notedCalls = ({ store, committed, next }: NotedCallsOptions): NotedCalls => {
  let [begun, waiting, spent, noted] = [0, 0, 0, 0];
  let write: Promise<void> | null = null;
  const uncommitted = (): number => roundDollars(begun + Math.max(0, spent - committed()));

  const growNoted = async (call: number): Promise<void> => {
    const usd = next(roundDollars(uncommitted() + waiting), noted, call);
    await store(usd, noted);
    noted = usd;
  };

  return {
    begin: async (maxUsd) => {
      waiting += maxUsd;
      try {
        while (roundDollars(uncommitted() + maxUsd) > noted) {
          write ??= growNoted(maxUsd).finally(() => {
            write = null;
          });
          await write;
        }
      } finally {
        waiting -= maxUsd;
      }
      begun += maxUsd;
      return (usd) => {
        begun -= maxUsd;
        spent += usd;
      };
    },
    spent: () => spent,
    uncommitted,
    setNoted: (usd) => {
      noted = usd;
    },
  };
};
