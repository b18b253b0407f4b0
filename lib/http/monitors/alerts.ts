import { safeParse } from "valibot";
import type { AlertChangeReply, AlertInput, AlertReply } from "../../contract/monitors/alerts.ts";
import { traceFilters } from "../../contract/traces/filters.ts";
import { isScoreSignal, type AlertRule, type AlertSettings } from "../../domain/alerts/rule.ts";
import { firstState } from "../../domain/alerts/state.ts";
import { instantAt } from "../../domain/instant.ts";
import { maxViolations, notFound, Refusal, type Violation } from "../../domain/refusal.ts";
import { checkDeclared } from "../../domain/traces/facts.ts";
import { sessionMetricNames } from "../../metrics/session/catalogue.ts";
import type { AlertChange, StoredEvaluation, StoredState } from "../../store/alerts/states.ts";
import { filterViolation } from "./settings.ts";

export const alertNotFound = (id: string): Refusal => notFound(`Alert rule ${id} not found.`);

const metricViolations = ({ signal, metric_name: metric }: AlertInput): Violation[] => {
  const violation = (msg: string): Violation[] => [{ loc: ["body", "metric_name"], msg, type: "value_error" }];
  if (!isScoreSignal(signal)) return metric === null ? [] : violation(`The signal ${signal} has no metric_name.`);
  return metric === null ? violation(`The signal ${signal} needs the name of a score in metric_name.`) : [];
};

/** Warns about composites of sessions: they are low for most sessions, whatever the agent does. */
const warningsOf = ({ metric }: AlertSettings): string[] =>
  sessionMetricNames.some((name) => name === metric)
    ? [
        `${metric} is a composite of a session and stays near 0.2 for most sessions: a metric of traces, such as task_completion, shows a change sooner.`,
      ]
    : [];

/** Filters that a rule cannot have: scores of a trace change after it was counted. */
const scoreFilters = ["score", "no_score"] as const;

/**
 * Returns the settings of a rule.
 *
 * @param declared metadata keys that the project declares as filterable.
 * @throws Refusal `invalid` with all violations.
 */
export const alertSettings = (body: AlertInput, declared: readonly string[]): AlertSettings => {
  const filters = safeParse(traceFilters, body.filters);
  const violations: Violation[] = [
    ...metricViolations(body),
    ...(filters.issues ?? []).slice(0, maxViolations).map(filterViolation),
    ...scoreFilters.flatMap((name): Violation[] =>
      Object.hasOwn(body.filters, name)
        ? [{ loc: ["body", "filters", name], msg: `Rules cannot filter traces by ${name}.`, type: "value_error" }]
        : [],
    ),
  ];
  if (violations.length > 0 || !filters.success) throw new Refusal({ kind: "invalid", violations });
  checkDeclared(filters.output.metadata, declared, (key) => ["body", "filters", "metadata", key]);
  return {
    name: body.name,
    filters: { ...filters.output },
    signal: body.signal,
    metric: body.metric_name,
    below: body.below,
    window: body.window,
    baseline: body.compare_with,
    threshold: body.threshold,
    minimumCount: body.minimum_count,
    significance: body.significance,
    noData: body.no_data,
    severity: body.severity,
    repeatEvery: body.repeat_every ?? null,
  };
};

const evaluationReply = ({ verdict, value, reference, count, referenceCount, interval }: StoredEvaluation) => ({
  verdict,
  value,
  reference,
  count,
  reference_count: referenceCount,
  interval,
});

/** Returns the API representation of a rule. @param stored null before the rule has a state. */
export const alertReply = (
  { id, projectId, settings, createdAt }: AlertRule,
  stored: Pick<StoredState, "state" | "evaluation"> | null,
): AlertReply => {
  const { name: state, windowEnd } = stored?.state ?? firstState;
  return {
    id,
    project_id: projectId,
    name: settings.name,
    filters: { ...settings.filters },
    signal: settings.signal,
    metric_name: settings.metric,
    below: settings.below,
    window: settings.window,
    compare_with: settings.baseline,
    threshold: settings.threshold,
    minimum_count: settings.minimumCount,
    significance: settings.significance,
    no_data: settings.noData,
    severity: settings.severity,
    repeat_every: settings.repeatEvery,
    state,
    window_end: windowEnd === 0 ? null : instantAt(windowEnd),
    last_evaluation: stored?.evaluation == null ? null : evaluationReply(stored.evaluation),
    warnings: warningsOf(settings),
    created_at: createdAt,
  };
};

/** Returns the API representation of a change of a rule's state. */
export const alertChangeReply = ({ transition, end, evaluation }: AlertChange): AlertChangeReply => ({
  transition,
  window_end: instantAt(end),
  ...evaluationReply(evaluation),
});
