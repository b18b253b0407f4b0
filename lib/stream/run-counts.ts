import type { DynamoDBRecord } from "aws-lambda";
import { runStatuses } from "../domain/runs/run.ts";
import type { CounterChange } from "../store/counters.ts";
import { kept } from "../store/expiry.ts";
import { runCountsPartition } from "../store/facets.ts";
import { anyStatus, runsOfMonitor, runsOfType } from "../store/runs/counts.ts";
import { listOfPartition, monitorOfPartition } from "../store/runs/keys.ts";
import { facetChanges, type CountedItem } from "./facet-changes.ts";

/** Filters of the stream's mapping: runs, however they change. */
export const runFilters: readonly Record<string, unknown>[] = [
  { dynamodb: { NewImage: { kind: { S: ["run"] } } } },
  { dynamodb: { OldImage: { kind: { S: ["run"] } } } },
];

type Image = NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"];

/** What a run counts for; null while it is not listed, and of one that a previous version has listed. */
const countedOf = (image: Image): CountedItem | null => {
  const [list, monitor] = [image?.["list_key"]?.S, image?.["monitor_key"]?.S];
  const found = list === undefined ? null : listOfPartition(list);
  const status = runStatuses.find((each) => each === image?.["status"]?.S);
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

/** What the records of the runs' stream say of the numbers of runs. */
export const runCounts = (records: readonly DynamoDBRecord[]): readonly CounterChange[] =>
  records.flatMap(({ dynamodb }) => {
    const sequence = dynamodb?.SequenceNumber;
    if (sequence === undefined) throw new Error("The record has no sequence number.");
    return facetChanges(countedOf(dynamodb?.OldImage), countedOf(dynamodb?.NewImage), BigInt(sequence));
  });
