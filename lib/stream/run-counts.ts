import type { DynamoDBRecord } from "aws-lambda";
import { eventItemKind } from "../store/events/outbox.ts";
import type { CounterChange } from "../store/totals/counters.ts";
import { countedRun } from "../store/runs/counts.ts";
import { facetChanges } from "./facet-changes.ts";

/** Filters of the runs table's stream, for the Lambda event source mapping: all changes of runs, and new events of the outbox. */
export const runFilters: readonly Record<string, unknown>[] = [
  { dynamodb: { NewImage: { kind: { S: ["run", eventItemKind] } } } },
  { dynamodb: { OldImage: { kind: { S: ["run"] } } } },
];

type Image = NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"];

const countedOf = (image: Image) =>
  countedRun({ list: image?.["list_key"]?.S, monitor: image?.["monitor_key"]?.S, status: image?.["status"]?.S });

/** Converts stream records of the runs table to changes of the run counters. */
export const runCounts = (records: readonly DynamoDBRecord[]): readonly CounterChange[] =>
  records.flatMap(({ dynamodb }) => {
    const sequence = dynamodb?.SequenceNumber;
    if (sequence === undefined) throw new Error("The record has no sequence number.");
    return facetChanges(countedOf(dynamodb?.OldImage), countedOf(dynamodb?.NewImage), BigInt(sequence));
  });
