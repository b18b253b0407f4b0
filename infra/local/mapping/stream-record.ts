import type { _Record as StreamsRecord } from "@aws-sdk/client-dynamodb-streams";
import { isDeepStrictEqual } from "node:util";
import { awsLocation } from "../template/arn.ts";

/** Converts a value to the JSON form of Lambda's events: dates to epoch seconds, bytes to base64. */
const plain = (value: unknown): unknown => {
  if (value instanceof Date) return value.getTime() / 1_000;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
};

/** A table's stream, with its ARN in the database engine and the ARN that functions see. */
export interface Stream {
  readonly engineArn: string;
  readonly arn: string;
  /** Milliseconds to which the engine rounds down the creation times of records. */
  readonly timeStep: number;
}

/** A stream record (a change of an item) in the form of Lambda's event. */
export interface StreamRecord {
  readonly sequence: string;
  /** Time of the change in epoch milliseconds, rounded to seconds. */
  readonly at: number;
  /** The item's key as JSON text; records with the same key are handled in order. */
  readonly item: string;
  readonly event: unknown;
  /** Size of the event's JSON in bytes. */
  readonly size: number;
}

/** True for the record of a put that changed nothing: dynoxide writes such records, DynamoDB does not. */
export const isUnchanged = ({ eventName, dynamodb }: StreamsRecord): boolean =>
  eventName === "MODIFY" && dynamodb?.NewImage !== undefined && isDeepStrictEqual(dynamodb.OldImage, dynamodb.NewImage);

/** Estimates the second of a change in epoch milliseconds. For coarser rounded times, the end of the engine's time step, but not later than now. */
const creationSecond = (record: StreamsRecord, timeStep: number): number => {
  const createdAt = record.dynamodb?.ApproximateCreationDateTime?.getTime() ?? Date.now();
  return Math.floor(Math.min(Date.now(), createdAt + timeStep - 1_000) / 1_000) * 1_000;
};

/** Converts a record of a table's stream to the form of Lambda's event. */
export const streamRecord = (record: StreamsRecord, { arn, timeStep }: Stream): StreamRecord => {
  const at = creationSecond(record, timeStep);
  const event = plain({
    eventID: record.eventID,
    eventName: record.eventName,
    eventVersion: "1.1",
    eventSource: "aws:dynamodb",
    awsRegion: awsLocation.region,
    dynamodb: { ...record.dynamodb, ApproximateCreationDateTime: new Date(at) },
    eventSourceARN: arn,
    ...(record.userIdentity && {
      userIdentity: { type: record.userIdentity.Type, principalId: record.userIdentity.PrincipalId },
    }),
  });
  return {
    sequence: record.dynamodb?.SequenceNumber ?? "",
    at,
    item: JSON.stringify(plain(record.dynamodb?.Keys)),
    event,
    size: Buffer.byteLength(JSON.stringify(event)),
  };
};
