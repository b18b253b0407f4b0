import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { eraseItems, type Erase } from "../../dynamo/erase-items.ts";
import { budgetName, shardKeys } from "./items.ts";

/** Erases the shards of the given budgets. @returns the number of erased items. */
export const eraseBudgets = async (database: Database, budgets: readonly string[]): Promise<number> =>
  eraseItems(database, "spend", await batchGet(database, "spend", budgets.flatMap(shardKeys)));

/** Months to look back: the items of a month are stored for a year after it. */
const monthCount = 15;
const monthMilliseconds = 28 * 86_400_000;

const eraseMonths =
  (kind: "project" | "organization") =>
  (database: Database, now: () => number = Date.now): Erase =>
    async function* (owner) {
      const at = now();
      const budgets = Array.from({ length: monthCount }, (_, index) =>
        budgetName(kind, { [kind]: owner }, at - index * monthMilliseconds),
      );
      yield await eraseBudgets(database, [...new Set(budgets)]);
    };

/** Erases a project's monthly judging budgets. */
export const eraseSpend = eraseMonths("project");

/**
 * Erases an organization's monthly judging budgets. Run after its projects are erased: closing their ledgers changes
 * these budgets.
 */
export const eraseOrganizationSpend = eraseMonths("organization");
