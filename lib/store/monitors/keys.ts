/** Partition of a monitor and its firings. */
const monitorPartition = (project: string, monitor: string): string => `${project}#monitor#${monitor}`;

export const monitorKey = (project: string, monitor: string) => ({
  pk: monitorPartition(project, monitor),
  sk: "monitor",
});

const firingPrefix = "firing#";

/** A firing by its scheduled instant, epoch milliseconds: 13 digits until the year 2286. */
export const firingKey = (project: string, monitor: string, scheduledAt: number) => ({
  pk: monitorPartition(project, monitor),
  sk: `${firingPrefix}${String(scheduledAt).padStart(14, "0")}`,
});

/** What a snapshot of a monitor saw. */
export const marksKey = (project: string, monitor: string, name: string) => ({
  pk: monitorPartition(project, monitor),
  sk: `marks#${name}`,
});

/** The firings of a monitor as the condition of a query. */
export const firingsOf = (project: string, monitor: string) => ({
  KeyConditionExpression: "pk = :pk AND begins_with(sk, :firing)",
  ExpressionAttributeValues: { ":pk": monitorPartition(project, monitor), ":firing": firingPrefix },
});

/** Partition of a project's monitors, in the index that lists them. */
export const monitorListPartition = (project: string): string => `${project}#monitors`;

/** How many monitors a project has. */
export const monitorCountKey = (project: string) => ({ pk: `${project}#monitors`, sk: "count" });

/** Partition of the monitors the sweeper has to look at, in their sparse index. */
export const duePartition = "due";
