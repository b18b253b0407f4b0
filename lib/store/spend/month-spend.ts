import {
  budgetState,
  microsDown,
  type BudgetState,
  type Ceilings,
  type MonthlyCeiling,
} from "../../domain/runs/budget.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { isLive } from "../../dynamo/is-live.ts";
import { budgetName, shardKeys, sumsOf, type BudgetOwner } from "./items.ts";

/** Budget state of each monthly ceiling in the current month of a project; null where there is no ceiling. */
export type MonthSpend = Readonly<Record<MonthlyCeiling, BudgetState | null>>;

/**
 * Returns a function that reads the current month's spending under each monthly ceiling. It reads 16 items of 100
 * bytes per ceiling, eventually consistent, and nothing for an absent ceiling.
 */
export const monthSpend =
  (database: Database, ceilings: Omit<Ceilings, "run">, now: () => number = Date.now) =>
  async (owner: BudgetOwner): Promise<MonthSpend> => {
    const at = now();
    const stateOf = async (kind: MonthlyCeiling): Promise<BudgetState | null> => {
      const ceiling = ceilings[kind];
      if (ceiling === null) return null;
      const items = await batchGet(database, "spend", shardKeys(budgetName(kind, owner, at)), { strongly: false });
      return budgetState(microsDown(ceiling), sumsOf(items.filter((item) => isLive(item, at))));
    };
    const [project, organization, deployment] = await Promise.all([
      stateOf("project"),
      stateOf("organization"),
      stateOf("deployment"),
    ]);
    return { project, organization, deployment };
  };
