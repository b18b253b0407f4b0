import * as v from "valibot";
import { replyInstant, oneOf, pageLimit, uuid } from "../fields.ts";
import { organizationParams as params } from "./fields.ts";
import { route } from "../route.ts";

const integer = v.pipe(v.number(), v.integer());
const orNull = v.nullable(integer);
const dollars = v.pipe(v.string(), v.description("US dollars, as text."));
const plans = oneOf(["HOBBY", "PRO", "STARTUP", "ENTERPRISE", "DEVELOPMENT"]);
const statuses = oneOf(["ACTIVE", "PAST_DUE", "CANCELED", "INCOMPLETE"]);
const month = v.pipe(replyInstant, v.description("Months are calendar months in UTC."));

const planEntries = {
  name: plans,
  base_traces: orNull,
  base_trace_evals: orNull,
  base_session_evals: orNull,
  monitoring_allowed: v.boolean(),
  max_members: orNull,
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
  v.description("What a plan includes; null: no bound."),
  v.examples([examplePlan]),
);

const subscription = v.pipe(
  v.object({
    id: uuid,
    org_id: uuid,
    plan: plans,
    status: statuses,
    current_period_start: month,
    current_period_end: month,
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
    period_start: month,
    period_end: month,
    traces: v.pipe(integer, v.description("Traces that started in the month.")),
    trace_evals: v.pipe(integer, v.description("Scores of traces that were made in the month, by whomever.")),
    session_evals: v.pipe(integer, v.description("Scores of sessions that were made in the month, by whomever.")),
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

const used = v.object({ used: integer, included: orNull, overage_units: integer, overage_cost: dollars });

const free = (units: number) => ({ used: units, included: null, overage_units: 0, overage_cost: "0.00" });

const billing = v.pipe(
  v.object({
    plan: plans,
    period_start: month,
    period_end: month,
    base_price_cents: integer,
    overage_unit_price: dollars,
    traces: used,
    trace_evals: used,
    session_evals: used,
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
      traces: free(1200),
      trace_evals: free(340),
      session_evals: free(12),
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

const base = "/organizations/{org_id}/subscriptions";
const counted =
  "Of the projects that the organization has now, 1,000 at most; beyond that it is 422. Counts may lag writes by seconds, and what was deleted is not among them.";

/** Looking up the organization, and counting what its projects hold. */
const grants = {
  access: ["GetItem", "BatchGetItem", "Query"],
  aggregates: ["Query", "BatchGetItem"],
  rows: ["GetItem", "Query"],
} as const;

export const listPlans = route({
  id: "listPlans",
  method: "GET",
  path: "/subscriptions/plans",
  handler: "api/access/subscriptions/list-plans",
  summary: "List the plans: one, which costs nothing",
  access: "user",
  success: 200,
  reply: v.array(planReply),
  grants: {},
});

export const getSubscription = route({
  id: "getSubscription",
  method: "GET",
  path: base,
  handler: "api/access/subscriptions/get-subscription",
  summary: "Read an organization's subscription: the one plan, in this month",
  access: "user",
  params,
  success: 200,
  reply: subscription,
  grants: { access: ["GetItem"] },
});

export const getUsage = route({
  id: "getUsage",
  method: "GET",
  path: `${base}/usage`,
  handler: "api/access/subscriptions/get-usage",
  summary: "Count what an organization did in this month",
  description: counted,
  access: "user",
  params,
  success: 200,
  reply: usage,
  grants,
  memory: 1024,
});

export const getBilling = route({
  id: "getBilling",
  method: "GET",
  path: `${base}/billing`,
  handler: "api/access/subscriptions/get-billing",
  summary: "Read what this month costs: nothing, whatever was counted",
  description: counted,
  access: "user",
  params,
  success: 200,
  reply: billing,
  grants,
  memory: 1024,
});

export const listInvoices = route({
  id: "listInvoices",
  method: "GET",
  path: `${base}/invoices`,
  handler: "api/access/subscriptions/list-invoices",
  summary: "List invoices: there are none, since nothing is charged",
  access: "user",
  params,
  query: v.object({ limit: pageLimit(36, 12) }),
  success: 200,
  reply: v.array(invoice),
  grants: { access: ["GetItem"] },
});

export const openCheckout = route({
  id: "openCheckout",
  method: "POST",
  repeats: "once",
  path: `${base}/checkout`,
  handler: "api/access/subscriptions/open-checkout",
  summary: "Choose another plan: there is none, which is 404",
  access: "user",
  params,
  success: 200,
  reply: v.object({ checkout_url: v.string() }),
  grants: { access: ["GetItem"] },
});

export const openPortal = route({
  id: "openPortal",
  method: "POST",
  repeats: "once",
  path: `${base}/portal`,
  handler: "api/access/subscriptions/open-portal",
  summary: "Manage payment: there is none, which is 404",
  access: "user",
  params,
  success: 200,
  reply: v.object({ portal_url: v.string() }),
  grants: { access: ["GetItem"] },
});
