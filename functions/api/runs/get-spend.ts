import { getSpend } from "../../../lib/contract/runs/spend.ts";
import { calendarMonthOf } from "../../../lib/domain/access/subscription.ts";
import { dollarsOf, type BudgetState } from "../../../lib/domain/runs/budget.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { runsCost } from "../../../lib/store/runs/month-cost.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { monthSpend } from "../../../lib/store/spend/month-spend.ts";
import { monthlyCeilings } from "../../../lib/wiring/ceilings.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const ceilings = monthlyCeilings();
const spend = monthSpend(database, ceilings);
const costOf = runsCost(database, runStore(database));
const hasCeiling = Object.values(ceilings).some((ceiling) => ceiling !== null);
const noCeiling =
  "Judging has no monthly ceiling: runs, monitors and previews of this deployment may spend without limit. Its operator can set one.";

const budgetOf = (state: BudgetState | null) =>
  state && {
    ceiling_usd: state.ceiling,
    spent_usd: state.spent,
    reserved_usd: state.reserved,
    left_usd: state.remaining,
    used_percent: state.percent,
  };

export const handler = endpoint(getSpend, environmentGuard(database), async ({ project: { id, organizationId } }) => {
  const { start, end } = calendarMonthOf(Date.now());
  const [{ budgets, settled }, cost] = await Promise.all([
    spend({ project: id, organization: organizationId }),
    costOf(id, start),
  ]);
  const { project, organization, deployment } = budgets;
  const ownBudget = organization ?? project;
  const spent = dollarsOf(settled.project + cost.uncounted);
  const ownUse = ownBudget === null ? spent : ownBudget.spent + ownBudget.reserved;
  return {
    currency: "USD" as const,
    period: "month" as const,
    period_start: start,
    period_end: end,
    spent_usd: spent,
    organization_spent_usd: dollarsOf(settled.organization + cost.uncounted),
    runs: cost.runs,
    unpriced_runs: cost.unpricedRuns,
    is_complete: cost.isComplete,
    notice: hasCeiling ? null : noCeiling,
    project: budgetOf(project),
    organization: budgetOf(organization),
    deployment: deployment && {
      used_percent: Math.floor((ownUse / deployment.ceiling) * 100),
      is_used_up: deployment.remaining === 0,
    },
  };
});
