/** Partition of a project's custom metrics. */
export const customMetricsPartition = (project: string): string => `${project}#metrics`;

const headPrefix = "metric#";

/** Key of a metric's main item, which lists its versions. */
export const metricHeadKey = (project: string, name: string) => ({
  pk: customMetricsPartition(project),
  sk: `${headPrefix}${name}`,
});

/** Key of one version of a metric. */
export const metricVersionKey = (project: string, name: string, version: number) => ({
  pk: customMetricsPartition(project),
  sk: `version#${name}#${String(version).padStart(6, "0")}`,
});

/** Key of the counter of a project's metrics. */
export const metricCountKey = (project: string) => ({ pk: customMetricsPartition(project), sk: "count" });

/** Query for all metrics of a project. */
export const headsOf = (project: string) => ({ pk: customMetricsPartition(project), prefix: headPrefix });
