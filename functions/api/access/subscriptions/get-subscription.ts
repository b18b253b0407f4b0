import { getSubscription } from "../../../../lib/contract/access/subscriptions.ts";
import { derivedUuid } from "../../../../lib/domain/access/identity.ts";
import { notMember, requireRole } from "../../../../lib/domain/access/role.ts";
import { calendarMonthOf, plan } from "../../../../lib/domain/access/subscription.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";

const database = connect();
const [organizations, members] = [organizationStore(database), memberStore(database)];

export const handler = endpoint(getSubscription, environmentUserGuard(database), async ({ params, user }) => {
  const { org_id: id } = params;
  const [organization, memberRole] = await Promise.all([organizations.find(id), members.role(id, user.userId)]);
  requireRole(memberRole);
  if (organization === null) throw notMember();
  const { start, end } = calendarMonthOf(Date.now());
  return {
    id: derivedUuid("subscription", id),
    org_id: id,
    plan: plan.name,
    status: "ACTIVE" as const,
    current_period_start: start,
    current_period_end: end,
    canceled_at: null,
    created_at: organization.createdAt,
  };
});
