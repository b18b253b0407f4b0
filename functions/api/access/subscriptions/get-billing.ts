import { getBilling } from "../../../../lib/contract/access/subscriptions.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { calendarMonthOf, plan } from "../../../../lib/domain/access/subscription.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { organizationUsage } from "../../../../lib/store/hours/organization-usage.ts";

const database = connect();
const [members, usage] = [memberStore(database), organizationUsage(database)];

const nothing = "0.00";
const free = (used: number) => ({ used, included: null, overage_units: 0, overage_cost: nothing });

export const handler = endpoint(getBilling, environmentUserGuard(database), async ({ params, user }) => {
  requireRole(await members.role(params.org_id, user.userId));
  const { start, end } = calendarMonthOf(Date.now());
  const { traces, traceScores, sessionScores } = await usage(params.org_id, start, end);
  return {
    plan: plan.name,
    period_start: start,
    period_end: end,
    base_price_cents: plan.monthly_price_cents,
    overage_unit_price: plan.overage_unit_price,
    traces: free(traces),
    trace_evals: free(traceScores),
    session_evals: free(sessionScores),
    total_overage_cost: nothing,
    reported_overage_cost: nothing,
    pending_overage_cost: nothing,
    estimated_total_cents: 0,
  };
});
