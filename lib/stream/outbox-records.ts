import type { DynamoDBRecord } from "aws-lambda";
import type { PendingEvent } from "../domain/event.ts";
import { eventItemKind, unpackEvent } from "../store/events/outbox.ts";
import { runOfRecord, type RunKey } from "./run-record.ts";

const stringAttribute = (
  image: NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"],
  name: string,
): string | undefined => image?.[name]?.S;

/** True if a stream record of the runs table is about an event of the outbox. */
export const isEventRecord = ({ dynamodb }: DynamoDBRecord): boolean =>
  stringAttribute(dynamodb?.NewImage ?? dynamodb?.OldImage, "kind") === eventItemKind;

/** Returns the new events of the outbox in stream records of the runs table. */
export const newEvents = (records: readonly DynamoDBRecord[]): readonly PendingEvent[] =>
  records
    .filter((record) => record.eventName === "INSERT" && isEventRecord(record))
    .flatMap(({ dynamodb }) => unpackEvent(stringAttribute(dynamodb?.NewImage, "d") ?? ""));

const terminalStatuses: ReadonlySet<unknown> = new Set(["COMPLETED", "FAILED"]);

/** Returns the runs that ended according to stream records of the runs table. */
export const endedRuns = (records: readonly DynamoDBRecord[]): readonly RunKey[] =>
  records
    .filter(
      ({ dynamodb }) =>
        stringAttribute(dynamodb?.NewImage, "kind") === "run" &&
        terminalStatuses.has(stringAttribute(dynamodb?.NewImage, "status")) &&
        !terminalStatuses.has(stringAttribute(dynamodb?.OldImage, "status")),
    )
    .map(runOfRecord);
