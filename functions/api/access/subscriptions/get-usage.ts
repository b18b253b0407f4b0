import { getUsage } from "../../../../lib/contract/access/subscriptions.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { calendarMonthOf, plan } from "../../../../lib/domain/access/subscription.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { organizationUsage } from "../../../../lib/store/hours/organization-usage.ts";

const database = connect();
const [members, usage] = [memberStore(database), organizationUsage(database)];

export const handler = endpoint(getUsage, environmentUserGuard(database), async ({ params, user }) => {
  requireRole(await members.role(params.org_id, user.userId));
  const { start, end } = calendarMonthOf(Date.now());
  const { traces, traceScores, sessionScores } = await usage(params.org_id, start, end);
  return {
    plan: plan.name,
    status: "ACTIVE" as const,
    period_start: start,
    period_end: end,
    traces,
    trace_evals: traceScores,
    session_evals: sessionScores,
    limits: plan,
  };
});
