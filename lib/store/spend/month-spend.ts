import {
  budgetState,
  microsDown,
  type BudgetState,
  type Ceilings,
  type Micros,
  type MonthlyCeiling,
} from "../../domain/runs/budget.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { isLive } from "../../dynamo/is-live.ts";
import { budgetName, shardKeys, budgetSums, type BudgetOwner } from "./items.ts";

/** Spending of a project, its organization and the deployment in the current month. */
export interface MonthSpend {
  /** Budget state of each monthly ceiling; null where there is no ceiling. */
  readonly budgets: Readonly<Record<MonthlyCeiling, BudgetState | null>>;
  /** Micro-dollars that all counted judge calls of the project and of the organization have cost. */
  readonly settled: { readonly project: Micros; readonly organization: Micros };
}

/**
 * Returns a function that reads the current month's spending. It reads 16 items of 100 bytes for the project and for the
 * organization, and 16 more if the deployment has a ceiling, eventually consistent.
 */
export const monthSpend =
  (database: Database, ceilings: Omit<Ceilings, "run">, now: () => number = Date.now) =>
  async (owner: BudgetOwner): Promise<MonthSpend> => {
    const at = now();
    const read = async (kind: MonthlyCeiling) => {
      const items = await batchGet(database, "spend", shardKeys(budgetName(kind, owner, at)), { strongly: false });
      const [sums, ceiling] = [budgetSums(items.filter((item) => isLive(item, at))), ceilings[kind]];
      return { budget: ceiling === null ? null : budgetState(microsDown(ceiling), sums), settled: sums.settled };
    };
    const [project, organization, deployment] = await Promise.all([
      read("project"),
      read("organization"),
      ceilings.deployment === null ? { budget: null } : read("deployment"),
    ]);
    return {
      budgets: { project: project.budget, organization: organization.budget, deployment: deployment.budget },
      settled: { project: project.settled, organization: organization.settled },
    };
  };
