import { metricReference } from "../domain/metrics/custom/reference.ts";
import { customMetric } from "../judge/custom/custom-metric.ts";
import { checkMetric } from "../metrics/custom/check-metric.ts";
import { aggregateMetric } from "../metrics/custom/aggregate-metric.ts";
import type { CustomMetricVersion } from "../domain/metrics/custom/definition.ts";
import type { FindCustomMetric } from "../judge/target-judge.ts";
import type { Database } from "../dynamo/database.ts";
import { customMetricStore } from "../store/metrics/custom-metrics.ts";

/** Custom metric versions in the cache of a process. */
const maxCachedVersions = 500;

/** Converts a stored version of a custom metric to the form that a judge evaluates. */
export const judgedMetricOf = (version: CustomMetricVersion) => {
  const { definition } = version;
  if (definition.kind === "check") return checkMetric(version, definition);
  return definition.kind === "fold" ? aggregateMetric(version, definition) : customMetric(version);
};

/** Returns a cached lookup of custom metric versions for a judge. Versions are immutable, so each is read once. */
export const customMetricFinder = (database: Database): FindCustomMetric => {
  const metrics = customMetricStore(database);
  const cache = new Map<string, NonNullable<Awaited<ReturnType<FindCustomMetric>>>>();
  return async (project, reference) => {
    const key = `${project}#${reference}`;
    const cachedMetric = cache.get(key);
    if (cachedMetric !== undefined) return cachedMetric;
    const { name, version } = metricReference(reference);
    const customVersion = version === null ? null : await metrics.version(project, name, version);
    if (customVersion === null) return null;
    const metric = judgedMetricOf(customVersion);
    if (cache.size >= maxCachedVersions) cache.delete(cache.keys().next().value ?? "");
    cache.set(key, metric);
    return metric;
  };
};
