import {
  budgetState,
  microsDown,
  type BudgetState,
  type Ceilings,
  type MonthlyCeiling,
} from "../../domain/runs/spend.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { isLive } from "../is-live.ts";
import { budgetName, shardKeys, sumsOf, type Spender } from "./items.ts";

/** What is used of each monthly ceiling that there is, in a project's month; null where there is no ceiling. */
export type MonthSpend = Readonly<Record<MonthlyCeiling, BudgetState | null>>;

/**
 * Tells what a month's judging has used of the ceilings that hold a project. It reads 16 items of 100 bytes for each ceiling,
 * not strongly, and without a ceiling nothing.
 */
export const monthSpend =
  (database: Database, ceilings: Omit<Ceilings, "run">, now: () => number = Date.now) =>
  async (spender: Spender): Promise<MonthSpend> => {
    const at = now();
    const stateOf = async (kind: MonthlyCeiling): Promise<BudgetState | null> => {
      const ceiling = ceilings[kind];
      if (ceiling === null) return null;
      const items = await batchGet(database, "spend", shardKeys(budgetName(kind, spender, at)), { strongly: false });
      return budgetState(microsDown(ceiling), sumsOf(items.filter((item) => isLive(item, at))));
    };
    const [project, organization, deployment] = await Promise.all([
      stateOf("project"),
      stateOf("organization"),
      stateOf("deployment"),
    ]);
    return { project, organization, deployment };
  };
