import { safeParse, type BaseIssue } from "valibot";
import type { MonitorUpdate } from "../../contract/monitors/monitors.ts";
import { sessionFilters } from "../../contract/sessions/filters.ts";
import { traceFilters } from "../../contract/traces/filters.ts";
import { parseCadence } from "../../domain/monitors/cadence.ts";
import { definedFields } from "../../domain/fields.ts";
import type { MonitorSettings } from "../../domain/monitors/fields.ts";
import { checkDeclared } from "../../domain/traces/facts.ts";
import { maxViolations, Refusal, type Violation } from "../../domain/refusal.ts";
import { withFullNames } from "../../domain/runs/cascade.ts";
import { unknownNamesMessage } from "../../domain/runs/checks.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import { unknownMetrics, type MonitorMetrics } from "../../evaluation/start/resolve-metrics.ts";
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

/** Converts an issue of the filter schema to a violation located below `body.filters`. */
export const filterViolation = (issue: BaseIssue<unknown>): Violation => {
  const { loc, ...violation } = violationOf("body", issue);
  return Object.assign(violation, { loc: ["body", "filters", ...loc.slice(1)] });
};

/**
 * Checks the settings of a monitor that a create or update body contains, and returns them; absent fields are left out.
 *
 * @param declared metadata keys that the project declares as filterable.
 * @param metricChoice metrics that the monitor may name.
 * @throws Refusal `invalid` with all violations for the target type.
 */
export const monitorSettingsOf = (
  targetType: TargetType,
  changes: MonitorUpdate,
  declared: readonly string[],
  metricChoice: MonitorMetrics,
): Partial<MonitorSettings> => {
  const schema = targetType === "TRACE" ? traceFilters : sessionFilters;
  const filters = safeParse(schema, changes.filters ?? {});
  const violations: Violation[] = [
    ...unknownMetricViolations(targetType, changes.metrics, metricChoice),
    ...cadenceViolations(changes.cadence),
    ...weightViolations(targetType, changes.signal_weights),
    ...judgeViolations(targetType, changes.judge),
    ...(filters.issues ?? []).slice(0, maxViolations).map(filterViolation),
  ];
  if (violations.length > 0 || !filters.success) throw new Refusal({ kind: "invalid", violations });
  checkDeclared(filters.output.metadata, declared, (key) => ["body", "filters", "metadata", key]);
  return definedFields({
    ...changes,
    filters: changes.filters && { ...filters.output },
    judge: changes.judge && withFullNames(changes.judge),
  });
};
