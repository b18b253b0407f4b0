import { instantAt, type Instant } from "../instant.ts";

/** The one plan that there is: nothing is charged, and nothing is held to it. */
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

/** The calendar month (UTC) of an instant, epoch milliseconds: from its first moment on, and before that of the next. */
export const monthAround = (at: number): { readonly start: Instant; readonly end: Instant } => {
  const date = new Date(at);
  const first = (months: number) => instantAt(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months));
  return { start: first(0), end: first(1) };
};

/** What an organization did in a month. */
export interface OrganizationUsage {
  /** Traces that started in it. */
  readonly traces: number;
  /** Scores of traces, and of sessions, that were made in it. */
  readonly traceScores: number;
  readonly sessionScores: number;
}
