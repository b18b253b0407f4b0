import * as v from "valibot";
import { integer, replyInstant, oneOf, pageLimit, uuid } from "../schema/fields.ts";
import { organizationParams as params } from "./fields.ts";
import { route } from "../route.ts";

const nullableInteger = v.nullable(integer);
const dollars = v.pipe(v.string(), v.description("Amount in US dollars, as a decimal string."));
const plans = oneOf(["HOBBY", "PRO", "STARTUP", "ENTERPRISE", "DEVELOPMENT"]);
const statuses = oneOf(["ACTIVE", "PAST_DUE", "CANCELED", "INCOMPLETE"]);
const monthBoundary = v.pipe(replyInstant, v.description("Boundary of a calendar month in UTC."));

const planEntries = {
  name: plans,
  base_traces: nullableInteger,
  base_trace_evals: nullableInteger,
  base_session_evals: nullableInteger,
  monitoring_allowed: v.boolean(),
  max_members: nullableInteger,
  pay_as_you_go: v.boolean(),
  monthly_price_cents: integer,
  overage_unit_price: dollars,
};

const examplePlan = {
  name: "DEVELOPMENT",
  base_traces: null,
  base_trace_evals: null,
  base_session_evals: null,
  monitoring_allowed: true,
  max_members: null,
  pay_as_you_go: false,
  monthly_price_cents: 0,
  overage_unit_price: "0.00",
} as const;

const planReply = v.pipe(
  v.object(planEntries),
  v.title("Plan"),
  v.description("A plan with its included amounts per month; null means unlimited."),
  v.examples([examplePlan]),
);

const subscription = v.pipe(
  v.object({
    id: uuid,
    org_id: uuid,
    plan: plans,
    status: statuses,
    current_period_start: monthBoundary,
    current_period_end: monthBoundary,
    canceled_at: v.nullable(replyInstant),
    created_at: replyInstant,
  }),
  v.title("Subscription"),
  v.examples([
    {
      id: "4d0f7f7e-1f0a-8b51-9a7e-6d0f7e1c2b3a",
      org_id: "9d2f6c1a-4e7b-4a3d-8f50-1b2c3d4e5f60",
      plan: "DEVELOPMENT",
      status: "ACTIVE",
      current_period_start: "2026-11-01T00:00:00.000000+00:00",
      current_period_end: "2026-12-01T00:00:00.000000+00:00",
      canceled_at: null,
      created_at: "2026-03-01T09:00:00.000000+00:00",
    },
  ]),
);

const usage = v.pipe(
  v.object({
    plan: plans,
    status: statuses,
    period_start: monthBoundary,
    period_end: monthBoundary,
    traces: v.pipe(integer, v.description("Number of traces that started in the month.")),
    trace_evals: v.pipe(integer, v.description("Number of trace scores created in the month, from any source.")),
    session_evals: v.pipe(integer, v.description("Number of session scores created in the month, from any source.")),
    limits: planReply,
  }),
  v.title("Usage"),
  v.examples([
    {
      plan: "DEVELOPMENT",
      status: "ACTIVE",
      period_start: "2026-11-01T00:00:00.000000+00:00",
      period_end: "2026-12-01T00:00:00.000000+00:00",
      traces: 1200,
      trace_evals: 340,
      session_evals: 12,
      limits: examplePlan,
    },
  ]),
);

const billedUsage = v.object({
  used: integer,
  included: nullableInteger,
  overage_units: integer,
  overage_cost: dollars,
});

const exampleBilledUsage = (units: number) => ({ used: units, included: null, overage_units: 0, overage_cost: "0.00" });

const billing = v.pipe(
  v.object({
    plan: plans,
    period_start: monthBoundary,
    period_end: monthBoundary,
    base_price_cents: integer,
    overage_unit_price: dollars,
    traces: billedUsage,
    trace_evals: billedUsage,
    session_evals: billedUsage,
    total_overage_cost: dollars,
    reported_overage_cost: dollars,
    pending_overage_cost: dollars,
    estimated_total_cents: integer,
  }),
  v.title("Billing"),
  v.examples([
    {
      plan: "DEVELOPMENT",
      period_start: "2026-11-01T00:00:00.000000+00:00",
      period_end: "2026-12-01T00:00:00.000000+00:00",
      base_price_cents: 0,
      overage_unit_price: "0.00",
      traces: exampleBilledUsage(1200),
      trace_evals: exampleBilledUsage(340),
      session_evals: exampleBilledUsage(12),
      total_overage_cost: "0.00",
      reported_overage_cost: "0.00",
      pending_overage_cost: "0.00",
      estimated_total_cents: 0,
    },
  ]),
);

const invoice = v.pipe(
  v.object({
    period_start: replyInstant,
    period_end: replyInstant,
    trace_count: integer,
    trace_eval_count: integer,
    session_eval_count: integer,
    billed: v.boolean(),
    stripe_invoice_id: v.nullable(v.string()),
  }),
  v.title("Invoice"),
);

const basePath = "/organizations/{org_id}/subscriptions";
const countDescription =
  "Covers the current projects of the organization, at most 1,000; beyond that the reply is 422. Counts may lag behind writes by seconds and exclude deleted data.";

/** All routes below are served by one function, which finds the organization and counts the data of its projects. */
const shared = {
  handler: "api/access/subscriptions/serve-subscriptions",
  access: "user",
  grants: {
    access: { GetItem: ["organization"], BatchGetItem: ["project"], Query: ["organization"] },
    aggregates: ["Query", "BatchGetItem"],
    rows: ["GetItem", "Query"],
  },
  memory: 1024,
} as const;

const sharedId = "getUsage";

export const listPlans = route({
  ...shared,
  id: "listPlans",
  answeredBy: sharedId,
  method: "GET",
  path: "/subscriptions/plans",
  summary: "List plans",
  description: "Returns the only plan, which is free.",
  success: 200,
  reply: v.array(planReply),
});

export const getSubscription = route({
  ...shared,
  id: "getSubscription",
  answeredBy: sharedId,
  method: "GET",
  path: basePath,
  summary: "Get an organization's subscription",
  description: "Returns the subscription to the only plan, for the current month.",
  params,
  success: 200,
  reply: subscription,
});

export const getUsage = route({
  ...shared,
  id: sharedId,
  method: "GET",
  path: `${basePath}/usage`,
  summary: "Get an organization's usage",
  description: `Returns the usage of the current month. ${countDescription}`,
  params,
  success: 200,
  reply: usage,
});

export const getBilling = route({
  ...shared,
  id: "getBilling",
  answeredBy: sharedId,
  method: "GET",
  path: `${basePath}/billing`,
  summary: "Get an organization's billing",
  description: `Returns the cost of the current month, which is always zero. ${countDescription}`,
  params,
  success: 200,
  reply: billing,
});

export const listInvoices = route({
  ...shared,
  id: "listInvoices",
  answeredBy: sharedId,
  method: "GET",
  path: `${basePath}/invoices`,
  summary: "List invoices",
  description: "Always returns an empty list, because nothing is charged.",
  params,
  query: v.object({ limit: pageLimit(36, 12) }),
  success: 200,
  reply: v.array(invoice),
});

export const openCheckout = route({
  ...shared,
  id: "openCheckout",
  answeredBy: sharedId,
  method: "POST",
  idempotency: "none",
  path: `${basePath}/checkout`,
  summary: "Open a checkout",
  description: "Always answers 404, because there is only one plan.",
  params,
  success: 200,
  reply: v.object({ checkout_url: v.string() }),
});

export const openPortal = route({
  ...shared,
  id: "openPortal",
  answeredBy: sharedId,
  method: "POST",
  idempotency: "none",
  path: `${basePath}/portal`,
  summary: "Open the payment portal",
  description: "Always answers 404, because nothing is charged.",
  params,
  success: 200,
  reply: v.object({ portal_url: v.string() }),
});
