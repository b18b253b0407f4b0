import { instantAt, type Instant } from "../instant.ts";

/** The only subscription plan: no charges and no limits. */
export const plan = {
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

/** Returns the calendar month (UTC) of an instant: `start` inclusive, `end` exclusive. @param at epoch milliseconds. */
export const calendarMonthOf = (at: number): { readonly start: Instant; readonly end: Instant } => {
  const date = new Date(at);
  const first = (months: number) => instantAt(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months));
  return { start: first(0), end: first(1) };
};

/** Usage of an organization in a month. */
export interface OrganizationUsage {
  /** Number of traces that started in the month. */
  readonly traces: number;
  /** Number of trace scores created in the month. */
  readonly traceScores: number;
  /** Number of session scores created in the month. */
  readonly sessionScores: number;
}
