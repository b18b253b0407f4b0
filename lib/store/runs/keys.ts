import type { Instant } from "../../domain/instant.ts";
import { targetTypes, type TargetType } from "../../domain/runs/run.ts";

/** Second part of the names of list partitions whose runs are counted. */
const [listKind, monitorListKind] = ["runs", "monitor-runs"];

/** Partition of a run and its slices. */
export const runPartition = (project: string, run: string): string => `${project}#run#${run}`;

export const runKey = (project: string, run: string) => ({ pk: runPartition(project, run), sk: "run" });

/** Id of a slice: the creation attempt of the run, and the slice's number. */
export const sliceId = (attempt: string, number: number): string => `${attempt}#${String(number).padStart(4, "0")}`;

/** Prefix of the sort keys of slices. */
export const slicePrefix = "slice#";

export const sliceKey = (project: string, run: string, slice: string) => ({
  pk: runPartition(project, run),
  sk: `${slicePrefix}${slice}`,
});

/** Prefix of the sort keys of held judgements. */
export const heldPrefix = "held#";

/** Key of held judgements of a slice; without a pair the prefix of all of them. @param pair the first pair of the item. */
export const heldKey = (project: string, run: string, slice: string, pair: number | "" = "") => ({
  pk: runPartition(project, run),
  sk: `${heldPrefix}${slice}#${pair}`,
});

/** Key of the item with the time at which the sweeper (the scheduled maintenance function) checks a run. */
export const dueKey = (project: string, run: string) => ({ pk: runPartition(project, run), sk: "due" });

/** Partition of all scheduled checks in the index `due`. */
export const dueChecksPartition = "due";

/** Partition of the places of a project's runs, or of an organization's projects, in their rotation. */
export const turnPartition = (owner: string): string => `${owner}#turn`;

/** Key of the item with the time of the last fair-share turn of a project or organization that has no open run any more. */
export const fairTurnKey = (owner: string) => ({ pk: turnPartition(owner), sk: "turn" });

/** Keys of places in rotations of fair-share turns. */
export const placeKeys = {
  organization: (organization: string) => ({ pk: turnPartition(organization), sk: "place" }),
  project: (organization: string, project: string) => ({
    pk: turnPartition(organization),
    sk: `project#${project}`,
  }),
  run: (project: string, run: string) => ({ pk: turnPartition(project), sk: `run#${run}` }),
};

/** Partition of all organizations with open runs in the index `due`. */
export const allOrganizations = "turn";

/** Partition of an organization's projects, or of a project's runs, in the index `due`. */
export const rotationOf = (owner: string): string => `turn#${owner}`;

/** Partition of a project's runs of one target type in the index of lists. The table's stream counts its runs. */
export const runListPartition = (project: string, targetType: TargetType): string =>
  `${project}#${listKind}#${targetType}`;

/** Project and target type of a list partition of counted runs; null for another partition. */
export const listOfPartition = (
  partition: string,
): { readonly project: string; readonly targetType: TargetType } | null => {
  const [project = "", kind, typeText] = partition.split("#");
  const targetType = targetTypes.find((each) => each === typeText);
  return kind !== listKind || targetType === undefined ? null : { project, targetType };
};

/** Sort key of runs in their lists: by creation, then by id. */
export const runOrder = (createdAt: Instant, run: string): string => `${createdAt}#${run}`;

/** Creation time in a sort key of runs. */
export const createdAtOfOrder = (order: string): Instant => order.slice(0, order.indexOf("#"));

/** Partition of a project's deleted runs, with data or a tombstone, in the index of lists. */
export const deletedRunsPartition = (project: string): string => `${project}#deleted`;

/** Partition of a monitor's runs in the index `by-monitor`. */
export const monitorRunsPartition = (project: string, monitor: string): string =>
  `${project}#${monitorListKind}#${monitor}`;

/** Monitor id of a partition of monitors' runs. */
export const monitorOfPartition = (partition: string): string => partition.slice(partition.lastIndexOf("#") + 1);

/** Partition of all runs that have not ended, in the index `open`. */
export const openPartition = "open";

/** Partition of a project's failed runs of one target type in the index `open`: the sparse list of failed runs. */
export const failedRunsPartition = (project: string, targetType: TargetType): string =>
  `${runListPartition(project, targetType)}#failed`;

/** Partition of all deleted runs that still have data, in the index `open`. */
export const deletedPartition = "deleted";
