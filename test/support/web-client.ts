import {
  getBilling,
  getSubscription,
  getUsage,
  listInvoices,
  listPlans,
} from "../../lib/contract/access/subscriptions.ts";
import { createTraceRun } from "../../lib/contract/runs/trace-runs.ts";
import type { Route } from "../../lib/contract/route.ts";
import type { Fields } from "./field-types.ts";

const month = { plan: "text", period_start: "text", period_end: "text" } as const;

const countFields = (name: string): Fields => ({
  [name]: "object",
  [`${name}.used`]: "number",
  [`${name}.included`]: "number?",
  [`${name}.overage_units`]: "number",
  [`${name}.overage_cost`]: "text",
});

/** Reply fields that the published web client reads, by path; for a list, the fields of each item. */
export const webClientReads: readonly (readonly [route: Route, fields: Fields])[] = [
  [
    getSubscription,
    {
      id: "text",
      org_id: "text",
      plan: "text",
      status: "text",
      current_period_start: "text",
      current_period_end: "text",
      canceled_at: "text?",
      created_at: "text",
    },
  ],
  [
    getUsage,
    { ...month, status: "text", traces: "number", trace_evals: "number", session_evals: "number", limits: "object" },
  ],
  [
    getBilling,
    {
      ...month,
      base_price_cents: "number",
      overage_unit_price: "text",
      ...countFields("traces"),
      ...countFields("trace_evals"),
      ...countFields("session_evals"),
      total_overage_cost: "text",
      reported_overage_cost: "text",
      pending_overage_cost: "text",
      estimated_total_cents: "number",
    },
  ],
  [
    listInvoices,
    {
      period_start: "text",
      period_end: "text",
      trace_count: "number",
      trace_eval_count: "number",
      session_eval_count: "number",
      billed: "yes-no",
      stripe_invoice_id: "text?",
    },
  ],
  [
    listPlans,
    {
      name: "text",
      base_traces: "number?",
      base_trace_evals: "number?",
      base_session_evals: "number?",
      monitoring_allowed: "yes-no",
      max_members: "number?",
      pay_as_you_go: "yes-no",
      monthly_price_cents: "number",
      overage_unit_price: "text",
    },
  ],
  [createTraceRun, { total_targets: "number" }],
];
