import type { Alert, AlertChange } from "../../client/interface.ts";
import type { AlertSignal, AlertWindow } from "../../domain/alerts/fields.ts";
import { figures, isCategorySignal } from "../../domain/alerts/rule.ts";
import { count, dollars, duration } from "../format.ts";

type Baseline = Alert["compare_with"];

/** A rule, in distinction from the built-in alert of a monitor. */
export interface RuleAlert extends Alert {
  readonly signal: AlertSignal;
  readonly window: AlertWindow;
}

export const isRule = (alert: Alert): alert is RuleAlert => alert.monitor_id === null;

/** Signals with their titles in the form. */
export const signalTitles: Readonly<Record<AlertSignal, string>> = {
  score_mean: "mean of a score",
  score_below: "share of low scores",
  score_is: "share of a category",
  score_is_not: "share of other categories",
  error_rate: "share of failed traces",
  latency_p50: "latency, median",
  latency_p90: "latency, p90",
  latency_p99: "latency, p99",
  cost: "cost",
  tokens: "tokens",
  volume: "number of traces",
};

/** Lengths of windows with their titles. */
export const windowTitles: Readonly<Record<AlertWindow, string>> = {
  "5m": "5 minutes",
  "15m": "15 minutes",
  "30m": "30 minutes",
  "1h": "1 hour",
  "6h": "6 hours",
  "24h": "24 hours",
  "7d": "7 days",
};

/** What a window is compared with, with the titles in the form. */
export const baselineTitles: Readonly<Record<Baseline, string>> = {
  threshold: "a threshold",
  previous_window: "the window before",
  last_week: "the same hours of last week",
};

/** Names of what a window is compared with, beside its value. */
export const baselineNames: Readonly<Record<Baseline, string>> = {
  threshold: "Threshold",
  previous_window: "Window before",
  last_week: "Last week",
};

/** Meaning of a window with too little data. */
export const noDataTitles: Readonly<Record<Alert["no_data"], string>> = {
  ok: "no alert",
  alert: "an alert",
  keep: "the state before",
};

/** What decides how a rule's numbers are displayed. */
type Figures = Pick<RuleAlert, "signal" | "compare_with">;

/** What a rule measures in which windows, and its limit. */
export type RuleCondition = Figures & Pick<RuleAlert, "metric_name" | "below" | "category" | "threshold" | "window">;

/** Unit of a number as displayed; a share is typed and displayed in percent. */
export type Unit = "score" | "share" | "milliseconds" | "dollars" | "count";

/** Returns the unit of a signal's values. */
export const valueUnit = (signal: AlertSignal): Unit => {
  const { kind } = figures[signal];
  if (kind === "mean") return "score";
  if (kind === "rate") return "share";
  if (kind === "percentile") return "milliseconds";
  return signal === "cost" ? "dollars" : "count";
};

/** Returns the unit of a rule's threshold: changes of latencies and totals are shares of the other window's value. */
export const thresholdUnit = ({ signal, compare_with: baseline }: Figures): Unit => {
  const { kind } = figures[signal];
  const isRelative = baseline !== "threshold" && (kind === "percentile" || kind === "total");
  return isRelative ? "share" : valueUnit(signal);
};

const rounded = (value: number, digits: number): string => String(Number(value.toFixed(digits)));

/** Formats a value of a signal; a dash for null. */
export const valueText = (unit: Unit, value: number | null): string => {
  if (value === null) return "–";
  if (unit === "score") return rounded(value, 3);
  if (unit === "share") return `${rounded(value * 100, 2)} %`;
  if (unit === "milliseconds") return duration(value);
  return unit === "dollars" ? dollars(value) : count(value);
};

/** Returns what a rule measures: `mean of task completion`. */
export const signalText = ({ signal, metric_name: metric, below, category }: RuleCondition): string => {
  const name = (metric ?? "").trim() === "" ? "a score" : (metric ?? "").replaceAll("_", " ");
  if (signal === "score_mean") return `mean of ${name}`;
  if (signal === "score_below") return `share of ${name} below ${below}`;
  if (isCategorySignal(signal))
    return `share of ${name} ${signal === "score_is" ? "that is" : "other than"} ${category || "a category"}`;
  return signalTitles[signal];
};

/** Returns the condition of an alert: `mean of task completion below 0.7 in 1 hour`. */
export const conditionText = (rule: RuleCondition): string => {
  const { signal, compare_with: baseline, threshold, window } = rule;
  const { worse } = figures[signal];
  const limit = valueText(thresholdUnit(rule), threshold);
  const [what, period] = [signalText(rule), windowTitles[window]];
  if (baseline === "threshold") return `${what} ${worse === "higher" ? "above" : "below"} ${limit} in ${period}`;
  const change = worse === "volume" ? "changed" : worse === "higher" ? "higher" : "lower";
  const points = figures[signal].kind === "rate" ? limit.replace("%", "points") : limit;
  const other = baseline === "previous_window" ? "than in the window before" : "than in the same hours of last week";
  return `${what} in ${period} ${change} by more than ${points} ${worse === "volume" ? other.replace("than in", "from") : other}`;
};

/** Returns what the interval of a decision is of. */
export const intervalName = ({ signal, compare_with: baseline }: Figures): string => {
  const { kind } = figures[signal];
  const figure = kind === "percentile" ? "share of slower traces" : kind === "rate" ? "share" : kind;
  return `Interval of the ${baseline === "threshold" ? figure : `difference of the ${figure}s`}`;
};

const signedText = (unit: Unit, value: number): string => `${value < 0 ? "−" : ""}${valueText(unit, Math.abs(value))}`;

/** Formats the interval of a decision: `0.61 to 0.68`; an infinite end is an ellipsis. */
export const intervalText = ({ signal }: Figures, interval: AlertChange["interval"]): string => {
  if (interval === null) return "–";
  const unit = figures[signal].kind === "percentile" ? "share" : valueUnit(signal);
  const [lower, upper] = [interval.lower, interval.upper].map((end) => (end === null ? "…" : signedText(unit, end)));
  return `${lower} to ${upper}`;
};
