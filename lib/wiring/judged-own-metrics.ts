import { metricReference } from "../domain/metrics/own/reference.ts";
import { ownMetric } from "../judge/own/own-metric.ts";
import { checkMetric } from "../metrics/own/check-metric.ts";
import type { OwnMetricOf } from "../judge/target-judge.ts";
import type { Database } from "../store/database.ts";
import { environmentOwnMetrics } from "./own-metrics.ts";

/** Versions that a process remembers. */
const mostKept = 500;

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
    const { definition } = found;
    const made = definition.kind === "check" ? checkMetric(found, definition) : ownMetric(found);
    if (kept.size >= mostKept) kept.delete(kept.keys().next().value ?? "");
    kept.set(key, made);
    return made;
  };
};
