import type { JudgeBudget } from "../../judge/spending/judge-budget.ts";
import { notedCalls } from "./noted-calls.ts";

interface RecordedBudgetOptions {
  /** Stores what calls cost at most that are not committed, US dollars. */
  readonly record: (usd: number) => Promise<void>;
  /** Returns the committed cost of this delivery, US dollars. */
  readonly committed: () => number;
  /** Maximum number of concurrent judgements. */
  readonly maxConcurrent: number;
}

/** Factor by which a stored bound grows at least, so that calls that cost ever more are few writes. */
const growth = 2;

/**
 * Creates a budget without a ceiling. Before calls begin, what as many calls as may run at a time cost at most is stored: usually one
 * write, and one more where calls cost more than the first ones, or wait long for their commit.
 */
export const recordedBudget = ({ record, committed, maxConcurrent }: RecordedBudgetOptions): JudgeBudget => {
  const { begin } = notedCalls({
    store: record,
    committed,
    next: (needed, noted, call) => Math.max(needed, maxConcurrent * call, growth * noted),
  });
  return {
    isUnlimited: true,
    reserve: async () => ({ remaining: () => Infinity, extend: () => true, begin, close: () => undefined }),
  };
};
