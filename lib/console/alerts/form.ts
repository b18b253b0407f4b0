import { alertFields, type AlertSettings, type AlertSignal } from "../../domain/alerts/fields.ts";
import { defaultSignificance, figures, isCategorySignal, isScoreSignal } from "../../domain/alerts/rule.ts";
import { defaultsOf } from "../../domain/fields.ts";
import { formFrom, valuesFrom, type FormOf } from "../parts/field-form.ts";
import { thresholdUnit, type RuleAlert } from "./words.ts";

// Filters lie in the address, and a rule is paused by a button.
const { filters: _filters, enabled: _enabled, ...formFields } = alertFields;
export { formFields };

/** Form state of a rule: numbers as typed, shares in percent. */
export type AlertForm = FormOf<typeof formFields>;

type Condition = Pick<AlertForm, "signal" | "compare_with">;

/** Factor from the API's threshold to the displayed one. */
const factorOf = (condition: Condition): number => (thresholdUnit(condition) === "share" ? 100 : 1);

/** Thresholds that are typed first, as displayed. */
const fixedThresholds: Readonly<Record<AlertSignal, string>> = {
  score_mean: "0.7",
  score_below: "20",
  score_is: "20",
  score_is_not: "20",
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
  return figures[signal].kind === "rate" ? "5" : "50";
};

/**
 * Returns the form after a change. A change of the signal or of what it is compared with brings a threshold in its unit. A volume
 * below a threshold is about silence, so windows without traces are alerts.
 */
export const withChange = (form: AlertForm, change: Partial<AlertForm>): AlertForm => {
  if (change.signal === undefined && change.compare_with === undefined) return { ...form, ...change };
  const condition = { signal: form.signal, compare_with: form.compare_with, ...change };
  const isSilence = condition.signal === "volume" && condition.compare_with === "threshold";
  const wasSilence = form.signal === "volume" && form.compare_with === "threshold";
  return {
    ...form,
    ...condition,
    threshold: defaultThreshold(condition),
    ...(change.signal !== undefined && { significance: defaultSignificance(change.signal) }),
    ...(isSilence !== wasSilence && {
      minimum_count: isSilence ? "1" : "30",
      no_data: isSilence ? "alert" : "ok",
    }),
  };
};

/** Form state of a new rule. */
export const emptyForm: AlertForm = {
  ...formFrom(formFields, {
    ...defaultsOf(alertFields),
    name: "",
    signal: "score_mean",
    metric_name: "task_completion",
    window: "1h",
    threshold: 0,
    minimum_count: 30,
    significance: true,
  }),
  threshold: fixedThresholds.score_mean,
};

/** Converts a rule to form state. */
export const formOf = (rule: RuleAlert): AlertForm => ({
  ...formFrom(formFields, rule),
  threshold: String(Number((rule.threshold * factorOf(rule)).toPrecision(12))),
});

/** Converts form state to a request body without filters. */
export const settingsOf = (form: AlertForm): Omit<AlertSettings, "filters" | "enabled"> => {
  const settings = valuesFrom(formFields, form);
  return {
    ...settings,
    metric_name: isScoreSignal(form.signal) ? form.metric_name.trim() : null,
    category: isCategorySignal(form.signal) ? settings.category : null,
    threshold: settings.threshold / factorOf(form),
    announce_scores: form.signal === "score_below" && form.announce_scores,
  };
};
