/** Partition of a monitor and its firings. */
const monitorPartition = (project: string, monitor: string): string => `${project}#monitor#${monitor}`;

export const monitorKey = (project: string, monitor: string) => ({
  pk: monitorPartition(project, monitor),
  sk: "monitor",
});

const firingPrefix = "firing#";

/** Key of a firing by its scheduled instant, epoch milliseconds, padded so that keys sort by time. */
export const firingKey = (project: string, monitor: string, scheduledAt: number) => ({
  pk: monitorPartition(project, monitor),
  sk: `${firingPrefix}${String(scheduledAt).padStart(14, "0")}`,
});

/** Key of the change markers that a snapshot of a monitor recorded. */
export const changeMarkersKey = (project: string, monitor: string, name: string) => ({
  pk: monitorPartition(project, monitor),
  sk: `marks#${name}`,
});

/** Query for the firings of a monitor. */
export const firingsOf = (project: string, monitor: string) => ({
  pk: monitorPartition(project, monitor),
  prefix: firingPrefix,
});

/** Partition of a project's monitors in the index `by-created`. */
export const monitorListPartition = (project: string): string => `${project}#monitors`;

/** Key of the counter of a project's monitors. */
export const monitorCountKey = (project: string) => ({ pk: `${project}#monitors`, sk: "count" });

/**
 * Partition of the monitors that the sweeper (the scheduled maintenance function) must check, in the sparse index
 * `due`.
 */
export const dueMonitorsPartition = "due";
