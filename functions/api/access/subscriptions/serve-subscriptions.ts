import {
  getBilling,
  getSubscription,
  getUsage,
  listInvoices,
  listPlans,
  openCheckout,
  openPortal,
} from "../../../../lib/contract/access/subscriptions.ts";
import { derivedUuid } from "../../../../lib/domain/access/identity.ts";
import { notMember, requireRole } from "../../../../lib/domain/access/role.ts";
import { calendarMonthOf, plan } from "../../../../lib/domain/access/subscription.ts";
import { notFound } from "../../../../lib/domain/refusal.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { endpoint, type HandlerRequest } from "../../../../lib/http/endpoint.ts";
import { sharedEndpoint } from "../../../../lib/http/shared-endpoint.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";
import { organizationUsage } from "../../../../lib/store/hours/organization-usage.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";

const database = connect();
const guard = environmentUserGuard(database);
const [members, organizations, usageOf] = [
  memberStore(database),
  organizationStore(database),
  organizationUsage(database),
];

type OrganizationRequest = Pick<HandlerRequest<typeof getSubscription>, "params" | "user">;

/** @throws Refusal if the user is not a member of the organization in the path. */
const requireMember = async ({ params, user }: OrganizationRequest): Promise<void> => {
  requireRole(await members.role(params.org_id, user.userId));
};

/** Returns the current month and the organization's usage in it. @throws Refusal if the user is not a member. */
const usageOfMonth = async (request: OrganizationRequest) => {
  await requireMember(request);
  const { start, end } = calendarMonthOf(Date.now());
  return { start, end, ...(await usageOf(request.params.org_id, start, end)) };
};

const nothing = "0.00";
const free = (used: number) => ({ used, included: null, overage_units: 0, overage_cost: nothing });

/** Answers all routes of subscriptions: they differ little and are called rarely. */
export const handler = sharedEndpoint(
  endpoint(listPlans, guard, async () => Array.of(plan)),
  endpoint(getSubscription, guard, async (request) => {
    const { org_id: id } = request.params;
    const [organization] = await Promise.all([organizations.find(id), requireMember(request)]);
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
  }),
  endpoint(getUsage, guard, async (request) => {
    const { start, end, traces, traceScores, sessionScores } = await usageOfMonth(request);
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
  }),
  endpoint(getBilling, guard, async (request) => {
    const { start, end, traces, traceScores, sessionScores } = await usageOfMonth(request);
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
  }),
  endpoint(listInvoices, guard, async (request) => {
    await requireMember(request);
    return Array.of<never>();
  }),
  endpoint(openCheckout, guard, async (request) => {
    await requireMember(request);
    throw notFound("Nothing is charged here, so that there is no other plan to choose.");
  }),
  endpoint(openPortal, guard, async (request) => {
    await requireMember(request);
    throw notFound("Nothing is charged here, so that there is no payment to manage.");
  }),
);
