import { runStatuses, type TargetType } from "../../domain/runs/run.ts";
import { kept } from "../expiry.ts";
import { runCountsPartition, type CountedItem } from "../facets.ts";
import { listOfPartition, monitorOfPartition } from "./keys.ts";

/** Scope of the runs of one target type; their facets are their statuses. */
export const runsOfType = (targetType: TargetType): string => `type#${targetType}`;

/** Scope of the runs of a monitor, of whatever status. */
export const runsOfMonitor = (monitor: string): string => `monitor#${monitor}`;

/** The one facet of such a scope. */
const anyStatus = "ANY";

/** What tells what a run counts for, as its item has it. */
interface ListedRun {
  readonly list: string | undefined;
  readonly monitor: string | undefined;
  readonly status: string | undefined;
}

/** What a run counts for; null while it is not listed, and of one that a previous version has listed. */
export const countedRun = ({ list, monitor, status: given }: ListedRun): CountedItem | null => {
  const found = list === undefined ? null : listOfPartition(list);
  const status = runStatuses.find((each) => each === given);
  if (found === null || status === undefined) return null;
  const { project, targetType } = found;
  const shared = { partition: runCountsPartition(project), expiry: kept };
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
