import type { JudgeBudget } from "../../judge/spending/judge-budget.ts";

interface RecordedBudgetOptions {
  /** Stores what judgements cost at most that are not committed, US dollars. */
  readonly record: (usd: number) => Promise<void>;
  /** Returns the committed cost of this delivery, US dollars. */
  readonly committed: () => number;
  /** Maximum number of concurrent judgements. */
  readonly maxConcurrent: number;
}

/** Factor by which a stored bound grows at least, so that judgements that cost ever more are few writes. */
const growth = 2;

/**
 * Creates a budget without a ceiling. Before calls begin, what as many judgements as may run at a time cost at most is stored, so
 * that whoever takes over from a dead worker can tell what it may have spent: usually one write, and one more where judgements cost
 * more than the first ones, or wait long for their commit.
 */
export const recordedBudget = ({ record, committed, maxConcurrent }: RecordedBudgetOptions): JudgeBudget => {
  let [open, spent, recorded] = [0, 0, 0];
  let lastWrite: Promise<void> = Promise.resolve();
  return {
    isUnlimited: true,
    reserve: async ({ max }) => {
      open += max;
      const uncommitted = open + Math.max(0, spent - committed());
      if (uncommitted > recorded) {
        recorded = Math.max(uncommitted, maxConcurrent * max, growth * recorded);
        const bound = recorded;
        lastWrite = lastWrite.then(() => record(bound));
      }
      await lastWrite;
      return {
        remaining: () => Infinity,
        extend: () => true,
        spend: (usd) => {
          spent += usd;
        },
        close: () => {
          open -= max;
        },
      };
    },
  };
};
