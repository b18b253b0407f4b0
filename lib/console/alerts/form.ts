import type { Alert } from "../../client/interface.ts";
import { isScoreSignal, type AlertSignal, type AlertWindow } from "../../domain/alerts/rule.ts";
import { numberIn } from "../parts/form-bindings.ts";
import { thresholdUnit, type AlertRule } from "./words.ts";

/** Form state of a rule: numbers as typed, shares in percent. */
export interface AlertForm {
  readonly name: string;
  readonly signal: AlertSignal;
  readonly metric_name: string;
  readonly below: string;
  readonly window: AlertWindow;
  readonly compare_with: Alert["compare_with"];
  readonly threshold: string;
  readonly minimum_count: string;
  readonly significance: boolean;
  readonly no_data: Alert["no_data"];
  readonly severity: Alert["severity"];
  /** Pause between reminders; empty for none. */
  readonly repeat_every: AlertWindow | "";
  readonly announce_scores: boolean;
}

type Condition = Pick<AlertForm, "signal" | "compare_with">;

/** Factor from the API's threshold to the displayed one. */
const factorOf = (condition: Condition): number => (thresholdUnit(condition) === "share" ? 100 : 1);

/** Thresholds that are typed first, as displayed. */
const fixedThresholds: Readonly<Record<AlertSignal, string>> = {
  score_mean: "0.7",
  score_below: "20",
  error_rate: "5",
  latency_p50: "5000",
  latency_p90: "15000",
  latency_p99: "60000",
  cost: "10",
  tokens: "1000000",
  volume: "1",
};

const defaultThreshold = ({ signal, compare_with: baseline }: Condition): string => {
  if (baseline === "threshold") return fixedThresholds[signal];
  if (signal === "score_mean") return "0.05";
  return signal === "score_below" || signal === "error_rate" ? "5" : "50";
};

/**
 * Returns the form after a change of the signal or of what it is compared with: with a threshold in its unit. A volume below a
 * threshold is about silence, so windows without traces are alerts.
 */
export const withCondition = (form: AlertForm, change: Partial<Condition>): AlertForm => {
  const condition = { signal: form.signal, compare_with: form.compare_with, ...change };
  const isSilence = condition.signal === "volume" && condition.compare_with === "threshold";
  const wasSilence = form.signal === "volume" && form.compare_with === "threshold";
  return {
    ...form,
    ...condition,
    threshold: defaultThreshold(condition),
    ...(isSilence !== wasSilence && {
      minimum_count: isSilence ? "1" : "30",
      no_data: isSilence ? "alert" : "ok",
    }),
  };
};

/** Form state of a new rule. */
export const emptyForm: AlertForm = {
  name: "",
  signal: "score_mean",
  metric_name: "task_completion",
  below: "0.5",
  window: "1h",
  compare_with: "threshold",
  threshold: fixedThresholds.score_mean,
  minimum_count: "30",
  significance: true,
  no_data: "ok",
  severity: "warning",
  repeat_every: "",
  announce_scores: false,
};

/** Converts a rule to form state. */
export const formOf = (rule: AlertRule): AlertForm => ({
  name: rule.name,
  signal: rule.signal,
  metric_name: rule.metric_name ?? "",
  below: String(rule.below),
  window: rule.window,
  compare_with: rule.compare_with,
  threshold: String(Number((rule.threshold * factorOf(rule)).toPrecision(12))),
  minimum_count: String(rule.minimum_count),
  significance: rule.significance,
  no_data: rule.no_data,
  severity: rule.severity,
  repeat_every: rule.repeat_every ?? "",
  announce_scores: rule.announce_scores,
});

/** Converts form state to a request body without name and filters. Text that is no number is sent as null, which the service rejects with the field. */
export const settingsOf = (form: AlertForm) => ({
  signal: form.signal,
  window: form.window,
  metric_name: isScoreSignal(form.signal) ? form.metric_name.trim() : null,
  below: numberIn(form.below),
  compare_with: form.compare_with,
  threshold: numberIn(form.threshold) / factorOf(form),
  minimum_count: numberIn(form.minimum_count),
  significance: form.significance,
  no_data: form.no_data,
  severity: form.severity,
  repeat_every: form.repeat_every === "" ? null : form.repeat_every,
  announce_scores: form.signal === "score_below" && form.announce_scores,
});
