/** Partition of a project's own metrics. */
export const customMetricsPartition = (project: string): string => `${project}#metrics`;

const headPrefix = "metric#";

/** A metric, whatever its version. */
export const headKey = (project: string, name: string) => ({
  pk: customMetricsPartition(project),
  sk: `${headPrefix}${name}`,
});

/** One version of it. */
export const versionKey = (project: string, name: string, version: number) => ({
  pk: customMetricsPartition(project),
  sk: `version#${name}#${String(version).padStart(6, "0")}`,
});

/** How many metrics a project has. */
export const metricCountKey = (project: string) => ({ pk: customMetricsPartition(project), sk: "count" });

/** A project's metrics as the condition of a query. */
export const headsOf = (project: string) => ({
  KeyConditionExpression: "pk = :pk AND begins_with(sk, :head)",
  ExpressionAttributeValues: { ":pk": customMetricsPartition(project), ":head": headPrefix },
});
