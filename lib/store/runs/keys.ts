import type { Instant } from "../../domain/instant.ts";
import { targetTypes, type TargetType } from "../../domain/runs/run.ts";

/** Name the partitions of lists whose runs are counted. */
const [listed, ofMonitor] = ["runs", "monitor-runs"];

/** Partition of a run and its slices. */
export const runPartition = (project: string, run: string): string => `${project}#run#${run}`;

export const runKey = (project: string, run: string) => ({ pk: runPartition(project, run), sk: "run" });

/** A slice's id: the attempt at creating the run, and the slice's number. */
export const sliceId = (attempt: string, number: number): string => `${attempt}#${String(number).padStart(4, "0")}`;

/** Begins the sort keys of slices. */
export const slicePrefix = "slice#";

export const sliceKey = (project: string, run: string, slice: string) => ({
  pk: runPartition(project, run),
  sk: `${slicePrefix}${slice}`,
});

/** When the sweeper has to look at a run. */
export const dueKey = (project: string, run: string) => ({ pk: runPartition(project, run), sk: "due" });

/** The one partition of all such items, in their index. */
export const duePartition = "due";

/** Since when a project is judged for. */
export const turnKey = (project: string) => ({ pk: `${project}#turn`, sk: "turn" });

/** Partition of a project's runs of one target type, in the index of lists. Runs in it are counted as their stream tells. */
export const runListPartition = (project: string, targetType: TargetType): string =>
  `${project}#${listed}#${targetType}`;

/** Where previous versions list them: nobody has counted those. */
export const formerRunListPartition = (project: string, targetType: TargetType): string => `${project}#${targetType}`;

/** The project and target type of a partition of counted runs; null for any other. */
export const listOfPartition = (
  partition: string,
): { readonly project: string; readonly targetType: TargetType } | null => {
  const [project = "", kind, given] = partition.split("#");
  const targetType = targetTypes.find((each) => each === given);
  return kind !== listed || targetType === undefined ? null : { project, targetType };
};

/** The project and target type of a partition of runs that nobody has counted; null for any other. */
export const formerListOfPartition = (
  partition: string,
): { readonly project: string; readonly targetType: TargetType } | null => {
  const [project = "", given, ...rest] = partition.split("#");
  const targetType = targetTypes.find((each) => each === given);
  return rest.length > 0 || targetType === undefined ? null : { project, targetType };
};

/** Orders runs by creation, then by id. */
export const runOrder = (createdAt: Instant, run: string): string => `${createdAt}#${run}`;

/** When the run of an order was created. */
export const createdAtOfOrder = (order: string): Instant => order.slice(0, order.indexOf("#"));

/** Partition of a project's deleted runs of which something is left, a tombstone at least, in the index of lists. */
export const deletedRunsPartition = (project: string): string => `${project}#deleted`;

/** Partition of a monitor's runs, in their index. */
export const monitorRunsPartition = (project: string, monitor: string): string => `${project}#${ofMonitor}#${monitor}`;

/** Where previous versions list them. */
export const formerMonitorRunsPartition = (project: string, monitor: string): string => `${project}#monitor#${monitor}`;

/** The monitor of either partition. */
export const monitorOfPartition = (partition: string): string => partition.slice(partition.lastIndexOf("#") + 1);

/** The one partition of all runs that have not ended. */
export const openPartition = "open";

/** The one partition of all deleted runs of which something is left, in the same index. */
export const deletedPartition = "deleted";
