import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { eraseItems, type Erase } from "../erase-items.ts";
import { budgetName, shardKeys } from "./items.ts";

/** Erases a budget's shards. @returns how many there were. */
export const eraseBudget = async (database: Database, budget: string): Promise<number> =>
  eraseItems(database, "spend", await batchGet(database, "spend", shardKeys(budget)));

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
      let erased = 0;
      for (const budget of new Set(budgets)) erased += await eraseBudget(database, budget);
      yield erased;
    };

/** What a project's judging cost by month. */
export const eraseSpend = eraseMonths("project");

/** What an organization's judging cost by month, once its projects are gone: closing their books moves it. */
export const eraseOrganizationSpend = eraseMonths("organization");
