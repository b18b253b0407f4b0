import { safeParse } from "valibot";
import type { AlertChangeReply, AlertInput, AlertReply, AlertUpdate } from "../../contract/monitors/alerts.ts";
import type { AlertPreviewReply } from "../../contract/monitors/alert-preview.ts";
import { rowFilters } from "../../contract/traces/filters.ts";
import { alertFields, type AlertSettings } from "../../domain/alerts/fields.ts";
import {
  defaultSignificance,
  figures,
  isCategorySignal,
  isScoreSignal,
  type AlertRule,
} from "../../domain/alerts/rule.ts";
import type { WindowStep } from "../../domain/alerts/evaluate-windows.ts";
import { firstState } from "../../domain/alerts/state.ts";
import { stoppedName, stoppedSeverity, stoppedSignal } from "../../domain/alerts/stopped.ts";
import { defaultsOf, definedFields, valuesOfFields } from "../../domain/fields.ts";
import { instantAt } from "../../domain/instant.ts";
import { maxViolations, notFound, Refusal, type Violation } from "../../domain/refusal.ts";
import type { Monitor } from "../../domain/monitors/monitor.ts";
import { checkDeclared } from "../../domain/traces/facts.ts";
import { sessionMetricNames } from "../../metrics/session/catalogue.ts";
import type { AlertChange, StoredEvaluation, StoredState } from "../../store/alerts/states.ts";
import { filterViolation } from "./settings.ts";

export const alertNotFound = (id: string): Refusal => notFound(`Alert rule ${id} not found.`);

export const builtInAlert = (): Refusal =>
  new Refusal({
    kind: "conflict",
    detail: "This is the built-in alert of a monitor: set alert_if_stopped of the monitor.",
  });

const metricViolations = ({ signal, metric_name: metric }: AlertInput): Violation[] => {
  const violation = (msg: string): Violation[] => [{ loc: ["body", "metric_name"], msg, type: "value_error" }];
  if (!isScoreSignal(signal)) return metric === null ? [] : violation(`The signal ${signal} has no metric_name.`);
  return metric === null ? violation(`The signal ${signal} needs the name of a score in metric_name.`) : [];
};

const categoryViolations = ({ signal, category }: AlertInput): Violation[] => {
  const isNeeded = isCategorySignal(signal);
  if (isNeeded === ((category ?? "") !== "")) return [];
  const msg = isNeeded
    ? `The signal ${signal} needs the value of a score in category.`
    : `The signal ${signal} has no category.`;
  return [{ loc: ["body", "category"], msg, type: "value_error" }];
};

const sessionViolations = ({ metric_name: metric, filters }: AlertInput): Violation[] =>
  isSessionMetric(metric) && Object.values(filters).some((value) => value !== null)
    ? [
        {
          loc: ["body", "filters"],
          msg: `${metric} is a metric of sessions, which have no trace that could match filters: remove the filters.`,
          type: "value_error",
        },
      ]
    : [];

const announcementViolations = ({ announce_scores: isOn, signal }: AlertInput): Violation[] =>
  isOn && signal !== "score_below"
    ? [
        {
          loc: ["body", "announce_scores"],
          msg: "Only rules with the signal score_below announce scores.",
          type: "value_error",
        },
      ]
    : [];

const isSessionMetric = (metric: string | null): boolean => sessionMetricNames.some((name) => name === metric);

/** Returns advice about composites of sessions, which are low whatever the agent does, and rules that always or never raise an alert. */
const warningsOf = ({ signal, threshold, ...settings }: AlertSettings): string[] => {
  const { metric_name: metric, minimum_count: minimumCount, no_data: noData } = settings;
  const { kind } = figures[signal];
  const isFixed = settings.compare_with === "threshold";
  const isSilence = signal === "volume" && isFixed;
  const warnings: readonly (readonly [boolean, string])[] = [
    [
      isSessionMetric(metric),
      `${metric} is a composite of a session and stays near 0.2 for most sessions: a metric of traces, such as task_completion, shows a change sooner.`,
    ],
    [
      isSilence && noData !== "alert" && minimumCount >= threshold,
      `A window with fewer than ${minimumCount} traces has too little data, so that a volume below ${threshold} raises no alert: choose the no_data alert, or a minimum_count below the threshold.`,
    ],
    [
      isSilence && noData === "alert" && minimumCount > threshold,
      `A window with fewer than ${minimumCount} traces has too little data, which is an alert although the threshold is ${threshold}: choose a minimum_count of at most the threshold.`,
    ],
    [
      kind === "rate" && threshold >= 1,
      `${signal} is a share between 0 and 1, which is never above the threshold of ${threshold}.`,
    ],
    [
      threshold < 0 && (isFixed ? kind !== "mean" && !isSilence : true),
      isFixed
        ? `${signal} is never negative: each window is above the threshold of ${threshold}.`
        : "A negative threshold raises an alert although nothing has changed: it is the largest change that is no alert.",
    ],
  ];
  return warnings.flatMap(([applies, text]) => (applies ? [text] : []));
};

/** Filters that a rule cannot have: scores of a trace change after it was counted. */
const scoreFilters = ["score", "no_score"] as const;

/**
 * Returns the settings of a rule.
 *
 * @param declared metadata keys that the project declares as filterable.
 * @throws Refusal `invalid` with all violations.
 */
export const alertSettings = (body: AlertInput, declared: readonly string[]): AlertSettings => {
  const filters = safeParse(rowFilters, body.filters);
  const violations: Violation[] = [
    ...metricViolations(body),
    ...categoryViolations(body),
    ...sessionViolations(body),
    ...announcementViolations(body),
    ...(filters.issues ?? []).slice(0, maxViolations).map(filterViolation),
    ...scoreFilters.flatMap((name): Violation[] =>
      (body.filters[name] ?? null) !== null
        ? [{ loc: ["body", "filters", name], msg: `Rules cannot filter traces by ${name}.`, type: "value_error" }]
        : [],
    ),
  ];
  if (violations.length > 0 || !filters.success) throw new Refusal({ kind: "invalid", violations });
  checkDeclared(filters.output.metadata, declared, (key) => ["body", "filters", "metadata", key]);
  const minimumCount = body.minimum_count ?? (body.signal === "volume" ? 1 : 30);
  const significance = body.significance ?? defaultSignificance(body.signal);
  return { ...body, filters: { ...filters.output }, minimum_count: minimumCount, significance };
};

/**
 * Returns the settings of a rule after an update. Stored filters are checked again only if the metric changes.
 *
 * @throws Refusal `invalid` with all violations of the updated rule.
 */
export const updatedSettings = (
  settings: AlertSettings,
  body: AlertUpdate,
  declared: readonly string[],
): AlertSettings => {
  const input = { ...settings, filters: {}, ...definedFields(body) };
  const updated = alertSettings(input, declared);
  const violations = body.metric_name === undefined ? [] : sessionViolations({ ...input, filters: settings.filters });
  if (body.filters === undefined && violations.length > 0) throw new Refusal({ kind: "invalid", violations });
  return body.filters === undefined ? { ...updated, filters: settings.filters } : updated;
};

const evaluationReply = ({ referenceCount, detectable, reason, ...numbers }: StoredEvaluation) => ({
  ...numbers,
  reference_count: referenceCount,
  detectable: detectable ?? null,
  reason: reason ?? null,
});

/** A state and the numbers that decided. */
type AlertStanding = Pick<StoredState, "state" | "evaluation">;

const stateReply = (stored: AlertStanding | null) => {
  const { name: state, windowEnd, since } = stored?.state ?? firstState;
  return {
    state,
    state_since: since === null ? null : instantAt(since),
    window_end: windowEnd === 0 ? null : instantAt(windowEnd),
    last_evaluation: stored?.evaluation == null ? null : evaluationReply(stored.evaluation),
  };
};

/** Returns the API representation of a rule. @param stored null before the rule has a state. @param notes see `alertNotes`. */
export const alertReply = (
  { id, projectId, settings, createdAt }: AlertRule,
  stored: AlertStanding | null,
  notes: readonly string[],
): AlertReply => {
  return {
    id,
    project_id: projectId,
    monitor_id: null,
    ...valuesOfFields(alertFields, settings),
    ...stateReply(stored),
    warnings: [...warningsOf(settings), ...notes],
    created_at: createdAt,
  };
};

/** Returns the API representation of a monitor's built-in alert. @param stored null before its first run has ended. */
export const stoppedAlertReply = (
  { id, projectId, settings, createdAt }: Monitor,
  stored: AlertStanding | null,
): AlertReply => ({
  id,
  project_id: projectId,
  monitor_id: id,
  ...defaultsOf(alertFields),
  name: stoppedName(settings.name),
  signal: stoppedSignal,
  below: 0,
  window: null,
  threshold: 0,
  minimum_count: 1,
  significance: false,
  no_data: "keep",
  severity: stoppedSeverity,
  enabled: settings.alert_if_stopped,
  ...stateReply(stored),
  warnings: [],
  created_at: createdAt,
});

/** Returns the API representation of a change of a rule's state. */
export const alertChangeReply = ({ transition, end, evaluation }: AlertChange): AlertChangeReply => ({
  transition,
  window_end: instantAt(end),
  ...evaluationReply(evaluation),
});

const finiteOrNull = (bound: number): number | null => (Number.isFinite(bound) ? bound : null);

/** Returns the API representation of a preview. */
export const alertPreviewReply = (
  settings: AlertSettings,
  steps: readonly WindowStep[],
  observations: number,
  notes: readonly string[],
  receivers: AlertPreviewReply["receivers"],
): AlertPreviewReply => {
  const windows = steps.map(({ end, transition, state, evaluation }) => {
    const { interval } = evaluation;
    const bounds =
      interval === null ? null : { lower: finiteOrNull(interval.lower), upper: finiteOrNull(interval.upper) };
    const numbers = evaluationReply({ ...evaluation, interval: bounds });
    return { transition, state: state.name, window: { window_end: instantAt(end), ...numbers } };
  });
  return {
    windows: windows.map(({ window, state }) => ({ ...window, state })),
    transitions: windows.flatMap(({ transition, window }) => (transition === null ? [] : [{ transition, ...window }])),
    observations,
    receivers: [...receivers],
    warnings: [...warningsOf(settings), ...notes],
  };
};
