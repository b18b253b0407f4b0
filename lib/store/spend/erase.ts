import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { eraseItems, type Erase } from "../erase-items.ts";
import { budgetName, shardKeys } from "./items.ts";

/** Erases the shards of some budgets. @returns how many there were. */
export const eraseBudgets = async (database: Database, budgets: readonly string[]): Promise<number> =>
  eraseItems(database, "spend", await batchGet(database, "spend", budgets.flatMap(shardKeys)));

/** Items of a month outlive it by a year. */
const months = 15;
const monthMilliseconds = 28 * 86_400_000;

const eraseMonths =
  (kind: "project" | "organization") =>
  (database: Database, now: () => number = Date.now): Erase =>
    async function* (owner) {
      const at = now();
      const budgets = Array.from({ length: months }, (_, index) =>
        budgetName(kind, { [kind]: owner }, at - index * monthMilliseconds),
      );
      yield await eraseBudgets(database, [...new Set(budgets)]);
    };

/** What a project's judging cost by month. */
export const eraseSpend = eraseMonths("project");

/** What an organization's judging cost by month, once its projects are gone: closing their books moves it. */
export const eraseOrganizationSpend = eraseMonths("organization");
