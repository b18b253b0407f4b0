import { metricReference } from "../domain/metrics/custom/reference.ts";
import { customMetric } from "../judge/custom/custom-metric.ts";
import { checkMetric } from "../metrics/custom/check-metric.ts";
import { foldMetric } from "../metrics/custom/fold-metric.ts";
import type { CustomVersion } from "../domain/metrics/custom/definition.ts";
import type { CustomMetricOf } from "../judge/target-judge.ts";
import type { Database } from "../store/database.ts";
import { environmentCustomMetrics } from "./custom-metrics.ts";

/** Versions that a process remembers. */
const mostKept = 500;

/** A version of a metric as a judge works with it. */
export const judgedMetricOf = (found: CustomVersion) => {
  const { definition } = found;
  if (definition.kind === "check") return checkMetric(found, definition);
  return definition.kind === "fold" ? foldMetric(found, definition) : customMetric(found);
};

/** Projects' own metrics as a judge asks for them. A version never changes: it is read once. */
export const customMetricsOf = (database: Database): CustomMetricOf => {
  const metrics = environmentCustomMetrics(database);
  const kept = new Map<string, NonNullable<Awaited<ReturnType<CustomMetricOf>>>>();
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
