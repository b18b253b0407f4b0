import type { Instant } from "../../domain/instant.ts";

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

/** Partition of a project's runs of one target type, in the index of lists. */
export const runListPartition = (project: string, targetType: string): string => `${project}#${targetType}`;

/** Orders runs by creation, then by id. */
export const runOrder = (createdAt: Instant, run: string): string => `${createdAt}#${run}`;

/** When the run of an order was created. */
export const createdAtOfOrder = (order: string): Instant => order.slice(0, order.indexOf("#"));

/** Partition of a project's deleted runs of which something is left, a tombstone at least, in the index of lists. */
export const deletedRunsPartition = (project: string): string => `${project}#deleted`;

/** Partition of a monitor's runs, in their index. */
export const monitorRunsPartition = (project: string, monitor: string): string => `${project}#monitor#${monitor}`;

/** The one partition of all runs that have not ended. */
export const openPartition = "open";

/** The one partition of all deleted runs of which something is left, in the same index. */
export const deletedPartition = "deleted";
