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

/** What a project's judging cost by month. */
export const eraseSpend = (database: Database, now: () => number = Date.now): Erase =>
  async function* (project) {
    const at = now();
    const budgets = Array.from({ length: months }, (_, index) =>
      budgetName("project", project, "", at - index * monthMilliseconds),
    );
    let erased = 0;
    for (const budget of new Set(budgets)) erased += await eraseBudget(database, budget);
    yield erased;
  };
