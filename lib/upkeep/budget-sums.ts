import { createHash } from "node:crypto";
import { shardCount, type Micros } from "../domain/runs/spend.ts";
import type { BookPage } from "../store/spend/book-scan.ts";

/** What all books hold, by budget and shard. */
export type BudgetSums = Readonly<Record<string, readonly Micros[]>>;

/** Budgets that one scan adds up at most: their sums are kept in one item. */
const mostBudgets = 1_000;

const ownerOfMonth = (budget: string): string => budget.split("#month#")[0] ?? "";

/** The project of a month's budget; null of an organization's and the deployment's. */
export const projectOfMonth = (budget: string): string | null => {
  const owner = ownerOfMonth(budget);
  return owner === "deployment" || owner.startsWith("organization#") ? null : owner;
};

/**
 * Budgets in the order in which one scan prefers them: the deployment's first, those of others in another order each time,
 * so that where there are too many each has its turn.
 */
export const inRank = (budgets: readonly string[], salt: number): readonly string[] => {
  const rank = (budget: string): string =>
    ownerOfMonth(budget) === "deployment" ? "" : createHash("sha256").update(`${salt} ${budget}`).digest("base64");
  const ranked = budgets.map((budget) => [budget, rank(budget)] as const);
  return ranked.toSorted(([, a], [, b]) => (a < b ? -1 : 1)).map(([budget]) => budget);
};

const none: readonly Micros[] = Array.from({ length: shardCount }, () => 0);

/**
 * The sums with those of a page of the table.
 *
 * @param month whose budgets are added up.
 * @param salt of the scan.
 */
export const addPage = (sums: BudgetSums, { books, budgets }: BookPage, month: string, salt: number): BudgetSums => {
  const held: Record<string, readonly Micros[]> = { ...sums };
  const isOfMonth = (budget: string): boolean => budget.endsWith(`#month#${month}`);
  for (const budget of budgets.filter(isOfMonth)) held[budget] ??= none;
  for (const { takes } of books) {
    for (const [budget, shards] of Object.entries(takes).filter(([name]) => isOfMonth(name)))
      held[budget] = (held[budget] ?? none).map((sum, shard) => sum + (shards[shard] ?? 0));
  }
  const names = Object.keys(held);
  if (names.length <= mostBudgets) return held;
  // Who is left out once is left out to the end of the scan: those before it only become more.
  const kept = inRank(names, salt).slice(0, mostBudgets);
  return Object.fromEntries(kept.map((budget) => [budget, held[budget] ?? none]));
};
