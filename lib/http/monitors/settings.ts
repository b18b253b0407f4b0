import { safeParse, type BaseIssue } from "valibot";
import type { MonitorUpdate } from "../../contract/monitors/monitors.ts";
import { sessionFilters } from "../../contract/sessions/filters.ts";
import { traceFilters } from "../../contract/traces/filters.ts";
import { parseCadence } from "../../domain/monitors/cadence.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { MonitorSettings } from "../../domain/monitors/monitor.ts";
import { checkDeclared } from "../../domain/traces/declared.ts";
import { mostViolations, Refusal, type Violation } from "../../domain/refusal.ts";
import { unknownWords } from "../../domain/runs/checks.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import { unknownMetrics, type MetricChoice } from "../../evaluation/start/chosen-metrics.ts";
import { violationOf } from "../violations.ts";

const noSuchMetrics = (
  targetType: TargetType,
  metrics: readonly string[] | undefined,
  { choice, names }: MetricChoice,
): Violation[] => {
  const unknown = unknownMetrics(metrics ?? [], targetType, choice);
  const known = names[targetType];
  if (unknown.length === 0) return [];
  return [{ loc: ["body", "metrics"], msg: unknownWords("metrics", unknown, known), type: "unknown_metric" }];
};

const badCadence = (text: string | undefined): Violation[] => {
  const cadence = text === undefined ? null : parseCadence(text);
  return cadence?.kind === "flaw" ? [{ loc: ["body", "cadence"], msg: cadence.message, type: "cadence_invalid" }] : [];
};

const misplacedWeights = (targetType: TargetType, weights: MonitorUpdate["signal_weights"]): Violation[] =>
  targetType === "SESSION" || weights === null || weights === undefined
    ? []
    : [
        {
          loc: ["body", "signal_weights"],
          msg: "signal_weights is only valid for SESSION monitors.",
          type: "value_error",
        },
      ];

const present = <Fields extends object>(fields: Fields): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is left has a value.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: Exclude<Fields[Key], undefined>;
  };

/** A violation of the filters' own schema, as the body has it. */
const inFilters = (issue: BaseIssue<unknown>): Violation => {
  const { loc, ...rest } = violationOf("body", issue);
  return Object.assign(rest, { loc: ["body", "filters", ...loc.slice(1)] });
};

/**
 * What a body changes of a monitor's settings, absent fields left out.
 *
 * @param declared keys of metadata that traces of the project are found by.
 * @param own what of the project's own metrics it may name.
 * @throws Refusal `invalid` with everything that is wrong for its target type.
 */
export const settingsOf = (
  targetType: TargetType,
  body: MonitorUpdate,
  declared: readonly string[],
  own: MetricChoice,
): Partial<MonitorSettings> => {
  const schema = targetType === "TRACE" ? traceFilters : sessionFilters;
  const filters = safeParse(schema, body.filters ?? {});
  const violations: Violation[] = [
    ...noSuchMetrics(targetType, body.metrics, own),
    ...badCadence(body.cadence),
    ...misplacedWeights(targetType, body.signal_weights),
    ...(filters.issues ?? []).slice(0, mostViolations).map(inFilters),
  ];
  if (violations.length > 0 || !filters.success) throw new Refusal({ kind: "invalid", violations });
  checkDeclared(filters.output.metadata, declared, (key) => ["body", "filters", "metadata", key]);
  const chosen: JsonObject = { ...filters.output };
  return present({
    name: body.name,
    metrics: body.metrics,
    filters: body.filters === undefined ? undefined : chosen,
    cadence: body.cadence,
    samplingRate: body.sampling_rate,
    model: body.model,
    onlyIfChanged: body.only_if_changed,
    scope: body.scope,
    signalWeights: body.signal_weights === undefined ? undefined : given(body.signal_weights),
    maxCostUsd: body.max_cost_usd,
    tier: body.tier,
  });
};

const given = (weights: NonNullable<MonitorUpdate["signal_weights"]> | null): Record<string, number> | null =>
  weights === null ? null : present(weights);
