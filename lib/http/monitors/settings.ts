import { safeParse, type BaseIssue } from "valibot";
import type { MonitorUpdate } from "../../contract/monitors/monitors.ts";
import { sessionFilters } from "../../contract/sessions/filters.ts";
import { traceFilters } from "../../contract/traces/filters.ts";
import { parseCadence } from "../../domain/monitors/cadence.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { MonitorSettings } from "../../domain/monitors/monitor.ts";
import { checkDeclared } from "../../domain/traces/facts.ts";
import { maxViolations, Refusal, type Violation } from "../../domain/refusal.ts";
import { unknownNamesMessage } from "../../domain/runs/checks.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import { unknownMetrics, type MonitorMetrics } from "../../evaluation/start/resolve-metrics.ts";
import { cascadeOf } from "../runs/judge-cascade.ts";
import { violationOf } from "../violations.ts";

const unknownMetricViolations = (
  targetType: TargetType,
  metrics: readonly string[] | undefined,
  { custom: choice, names }: MonitorMetrics,
): Violation[] => {
  const unknown = unknownMetrics(metrics ?? [], targetType, choice);
  const knownNames = names[targetType];
  if (unknown.length === 0) return [];
  return [
    { loc: ["body", "metrics"], msg: unknownNamesMessage("metrics", unknown, knownNames), type: "unknown_metric" },
  ];
};

const cadenceViolations = (text: string | undefined): Violation[] => {
  const cadence = text === undefined ? null : parseCadence(text);
  return cadence?.kind === "flaw" ? [{ loc: ["body", "cadence"], msg: cadence.message, type: "cadence_invalid" }] : [];
};

const weightViolations = (targetType: TargetType, weights: MonitorUpdate["signal_weights"]): Violation[] =>
  targetType === "SESSION" || weights === null || weights === undefined
    ? []
    : [
        {
          loc: ["body", "signal_weights"],
          msg: "signal_weights is only valid for SESSION monitors.",
          type: "value_error",
        },
      ];

const judgeViolations = (targetType: TargetType, judge: MonitorUpdate["judge"]): Violation[] =>
  targetType === "TRACE" || judge === null || judge === undefined
    ? []
    : [{ loc: ["body", "judge"], msg: "judge is only valid for TRACE monitors.", type: "value_error" }];

/** Returns a copy of an object without the keys whose value is undefined. */
export const definedFields = <Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- undefined values are filtered out.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: Exclude<Fields[Key], undefined>;
  };

/** Converts an issue of the filter schema to a violation located below `body.filters`. */
export const filterViolation = (issue: BaseIssue<unknown>): Violation => {
  const { loc, ...violation } = violationOf("body", issue);
  return Object.assign(violation, { loc: ["body", "filters", ...loc.slice(1)] });
};

/**
 * Returns the settings of a monitor that a create or update body contains; absent fields are left out.
 *
 * @param declared metadata keys that the project declares as filterable.
 * @param metricChoice metrics that the monitor may name.
 * @throws Refusal `invalid` with all violations for the target type.
 */
export const settingsOf = (
  targetType: TargetType,
  body: MonitorUpdate,
  declared: readonly string[],
  metricChoice: MonitorMetrics,
): Partial<MonitorSettings> => {
  const schema = targetType === "TRACE" ? traceFilters : sessionFilters;
  const filters = safeParse(schema, body.filters ?? {});
  const violations: Violation[] = [
    ...unknownMetricViolations(targetType, body.metrics, metricChoice),
    ...cadenceViolations(body.cadence),
    ...weightViolations(targetType, body.signal_weights),
    ...judgeViolations(targetType, body.judge),
    ...(filters.issues ?? []).slice(0, maxViolations).map(filterViolation),
  ];
  if (violations.length > 0 || !filters.success) throw new Refusal({ kind: "invalid", violations });
  checkDeclared(filters.output.metadata, declared, (key) => ["body", "filters", "metadata", key]);
  const parsedFilters: JsonObject = { ...filters.output };
  return definedFields({
    name: body.name,
    metrics: body.metrics,
    filters: body.filters === undefined ? undefined : parsedFilters,
    cadence: body.cadence,
    samplingRate: body.sampling_rate,
    model: body.model,
    judge: body.judge === undefined ? undefined : cascadeOf(body.judge),
    onlyIfChanged: body.only_if_changed,
    scope: body.scope,
    signalWeights: body.signal_weights === undefined ? undefined : definedWeights(body.signal_weights),
    maxCostUsd: body.max_cost_usd,
    tier: body.tier,
    alertIfStopped: body.alert_if_stopped,
  });
};

const definedWeights = (weights: NonNullable<MonitorUpdate["signal_weights"]> | null): Record<string, number> | null =>
  weights === null ? null : definedFields(weights);
