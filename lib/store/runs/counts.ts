import { runStatuses, type TargetType } from "../../domain/runs/run.ts";
import { neverExpires } from "../../dynamo/expiry.ts";
import { runCountsPartition, type CountedItem } from "../totals/facets.ts";
import { listOfPartition, monitorOfPartition } from "./keys.ts";

/** Counter scope of the runs of one target type; their facets are their statuses. */
export const runsOfType = (targetType: TargetType): string => `type#${targetType}`;

/** Counter scope of the runs of a monitor, of any status. */
export const runsOfMonitor = (monitor: string): string => `monitor#${monitor}`;

/** The only counter facet of a monitor's runs, of any status. */
const anyStatus = "ANY";

/** Attributes of a run's item that determine its counters. */
interface ListedRun {
  readonly list: string | undefined;
  readonly monitor: string | undefined;
  readonly status: string | undefined;
}

/** Counters of a run; null while it is not listed. */
export const countedRun = ({ list, monitor, status: statusText }: ListedRun): CountedItem | null => {
  const listParts = list === undefined ? null : listOfPartition(list);
  const status = runStatuses.find((each) => each === statusText);
  if (listParts === null || status === undefined) return null;
  const { project, targetType } = listParts;
  const shared = { partition: runCountsPartition(project), expiry: neverExpires };
  return {
    project,
    facets: [
      { ...shared, scope: runsOfType(targetType), facet: status },
      ...(monitor === undefined
        ? []
        : [{ ...shared, scope: runsOfMonitor(monitorOfPartition(monitor)), facet: anyStatus }]),
    ],
  };
};
