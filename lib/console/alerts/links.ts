import type { AlertChange } from "../../client/interface.ts";
import { figures, isCategorySignal, isScoreSignal, windowLength } from "../../domain/alerts/rule.ts";
import { escapeScoreName } from "../../domain/score-name.ts";
import { filterQuery } from "../traces/filter-query.ts";
import { escapeListValue } from "../traces/trace-filters.ts";
import type { RuleAlert } from "./words.ts";

type Query = Readonly<Record<string, string>>;

/** Returns the start and end of the window that ends at an instant. */
const windowOf = ({ window }: RuleAlert, end: string): readonly [from: string, until: string] => [
  new Date(Date.parse(end) - windowLength(window)).toISOString(),
  new Date(end).toISOString(),
];

/** Score below which a score speaks for the alert; null if no number is known. */
const scoreLimit = ({ signal, below }: RuleAlert, { reference }: Pick<AlertChange, "reference">): number | null =>
  isCategorySignal(signal) ? null : signal === "score_below" ? below : reference;

/** Filters and order that select the traces that speak for an rule. */
const decisiveQuery = (rule: RuleAlert, change: Pick<AlertChange, "reference">): Query => {
  const { signal, metric_name: metric, category } = rule;
  const { reference } = change;
  if (isScoreSignal(signal)) {
    const limit = scoreLimit(rule, change);
    const bound = isCategorySignal(signal)
      ? `${signal === "score_is" ? "=" : "!="}${category ?? ""}`
      : limit === null
        ? null
        : `<${limit}`;
    return bound === null ? {} : { score: escapeListValue(escapeScoreName(metric ?? "") + bound) };
  }
  if (signal === "error_rate") return { status: "ERROR" };
  if (figures[signal].kind === "percentile") return reference === null ? {} : { min_latency_ms: String(reference) };
  return signal === "volume" ? {} : { sort_by: signal };
};

/** Returns the URL's filters of the traces of the window that decided. */
export const traceQuery = (rule: RuleAlert, change: Pick<AlertChange, "reference" | "window_end">): Query => {
  const [from, until] = windowOf(rule, change.window_end);
  return {
    ...filterQuery(rule.filters),
    ...decisiveQuery(rule, change),
    started_after: from,
    started_before: until,
  };
};

/** Returns the URL's filters of the low scores of the window that decided; null for a signal of traces. A score counts at its creation. */
export const scoreQuery = (rule: RuleAlert, change: Pick<AlertChange, "reference" | "window_end">): Query | null => {
  const { signal, metric_name: metric } = rule;
  if (!isScoreSignal(signal) || metric === null) return null;
  const [from, until] = windowOf(rule, change.window_end);
  const limit = scoreLimit(rule, change);
  return { name: metric, date_from: from, date_to: until, ...(limit !== null && { max_value: String(limit) }) };
};
