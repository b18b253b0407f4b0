import { getSpend } from "../../../lib/contract/runs/spend.ts";
import { calendarMonthOf } from "../../../lib/domain/access/subscription.ts";
import type { BudgetState } from "../../../lib/domain/runs/budget.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { monthSpend } from "../../../lib/store/spend/month-spend.ts";
import { monthlyCeilings } from "../../../lib/wiring/ceilings.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const spend = monthSpend(database, monthlyCeilings());

const budgetOf = (state: BudgetState | null) =>
  state && {
    ceiling_usd: state.ceiling,
    spent_usd: state.spent,
    reserved_usd: state.reserved,
    left_usd: state.remaining,
    used_percent: state.percent,
  };

export const handler = endpoint(getSpend, environmentGuard(database), async ({ project: { id, organizationId } }) => {
  const { project, organization, deployment } = await spend({ project: id, organization: organizationId });
  const { start, end } = calendarMonthOf(Date.now());
  return {
    currency: "USD" as const,
    period: "month" as const,
    period_start: start,
    period_end: end,
    project: budgetOf(project),
    organization: budgetOf(organization),
    deployment: deployment && { used_percent: deployment.percent },
  };
});
