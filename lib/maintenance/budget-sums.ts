import { createHash } from "node:crypto";
import { shardCount, type Micros } from "../domain/runs/budget.ts";
import type { LedgerPage } from "../store/spend/ledger-scan.ts";

/** Millionths of a US dollar reserved by all ledger entries, by budget and shard. */
export type BudgetSums = Readonly<Record<string, readonly Micros[]>>;

/** Max budgets that one scan sums up: their sums are stored in one item. */
const maxBudgets = 1_000;

const ownerOfBudget = (budget: string): string => budget.split("#month#")[0] ?? "";

/** Returns the project of a monthly budget; null for the budget of an organization or of the deployment. */
export const projectOfBudget = (budget: string): string | null => {
  const owner = ownerOfBudget(budget);
  return owner === "deployment" || owner.startsWith("organization#") ? null : owner;
};

/**
 * Returns budgets in the order in which a scan selects them: the deployment's first, the others in an order that depends on
 * the scan's salt, so that each is selected by some scan when there are too many.
 */
export const rankBudgets = (budgets: readonly string[], salt: number): readonly string[] => {
  const rank = (budget: string): string =>
    ownerOfBudget(budget) === "deployment" ? "" : createHash("sha256").update(`${salt} ${budget}`).digest("base64");
  const ranked = budgets.map((budget) => [budget, rank(budget)] as const);
  return ranked.toSorted(([, a], [, b]) => (a < b ? -1 : 1)).map(([budget]) => budget);
};

const emptyShards: readonly Micros[] = Array.from({ length: shardCount }, () => 0);

/**
 * Returns the sums after adding a page of ledger entries, limited to `maxBudgets` budgets.
 *
 * @param month month of the budgets to sum up, as `YYYY-MM`; other budgets are ignored.
 * @param salt random order of the scan's budgets, constant during a scan.
 */
export const addPage = (
  sums: BudgetSums,
  { entries, budgets }: LedgerPage,
  month: string,
  salt: number,
): BudgetSums => {
  const totals: Record<string, readonly Micros[]> = { ...sums };
  const isOfMonth = (budget: string): boolean => budget.endsWith(`#month#${month}`);
  for (const budget of budgets.filter(isOfMonth)) totals[budget] ??= emptyShards;
  for (const { takes } of entries) {
    for (const [budget, shards] of Object.entries(takes).filter(([name]) => isOfMonth(name)))
      totals[budget] = (totals[budget] ?? emptyShards).map((sum, shard) => sum + (shards[shard] ?? 0));
  }
  const names = Object.keys(totals);
  if (names.length <= maxBudgets) return totals;
  // A budget that is dropped once stays dropped until the end of the scan: the number of budgets ranked before it only grows.
  const selected = rankBudgets(names, salt).slice(0, maxBudgets);
  return Object.fromEntries(selected.map((budget) => [budget, totals[budget] ?? emptyShards]));
};
