import { metricReference } from "../domain/metrics/own/reference.ts";
import { ownMetric } from "../judge/own/own-metric.ts";
import { checkMetric } from "../metrics/own/check-metric.ts";
import { foldMetric } from "../metrics/own/fold-metric.ts";
import type { OwnVersion } from "../domain/metrics/own/definition.ts";
import type { OwnMetricOf } from "../judge/target-judge.ts";
import type { Database } from "../store/database.ts";
import { environmentOwnMetrics } from "./own-metrics.ts";

/** Versions that a process remembers. */
const mostKept = 500;

/** A version of a metric as a judge works with it. */
export const judgedMetricOf = (found: OwnVersion) => {
  const { definition } = found;
  if (definition.kind === "check") return checkMetric(found, definition);
  return definition.kind === "fold" ? foldMetric(found, definition) : ownMetric(found);
};

/** Projects' own metrics as a judge asks for them. A version never changes: it is read once. */
export const ownMetricsOf = (database: Database): OwnMetricOf => {
  const metrics = environmentOwnMetrics(database);
  const kept = new Map<string, NonNullable<Awaited<ReturnType<OwnMetricOf>>>>();
  return async (project, reference) => {
    const key = `${project}#${reference}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const { name, version } = metricReference(reference);
    const found = version === null ? null : await metrics.version(project, name, version);
    if (found === null) return null;
    const metric = judgedMetricOf(found);
    if (kept.size >= mostKept) kept.delete(kept.keys().next().value ?? "");
    kept.set(key, metric);
    return metric;
  };
};
