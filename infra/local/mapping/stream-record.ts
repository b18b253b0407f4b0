import type { _Record as StreamsRecord } from "@aws-sdk/client-dynamodb-streams";
import { isDeepStrictEqual } from "node:util";
import { place } from "../template/arn.ts";

/** Dates as epoch seconds, bytes as base64: JSON as Lambda writes it. */
const plain = (value: unknown): unknown => {
  if (value instanceof Date) return value.getTime() / 1_000;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
};

/** A stream: what the database calls it, and how functions see it. */
export interface Stream {
  readonly ownArn: string;
  readonly arn: string;
  /** What its records' times are rounded down to, in milliseconds. */
  readonly timeStep: number;
}

/** A change of an item, ready for a function's event. */
export interface StreamRecord {
  readonly sequence: string;
  /** Epoch milliseconds of the change, whole seconds. */
  readonly at: number;
  /** Changes of one item are handled in order. */
  readonly item: string;
  readonly event: unknown;
  /** Bytes of the event's JSON. */
  readonly size: number;
}

/** A put that changed nothing: DynamoDB writes no record for it, the local database does. */
export const changesNothing = ({ eventName, dynamodb }: StreamsRecord): boolean =>
  eventName === "MODIFY" && dynamodb?.NewImage !== undefined && isDeepStrictEqual(dynamodb.OldImage, dynamodb.NewImage);

/** The second of a change, in epoch milliseconds: of a time that was rounded down further, the last that is not to come. */
const secondOf = (record: StreamsRecord, timeStep: number): number => {
  const told = record.dynamodb?.ApproximateCreationDateTime?.getTime() ?? Date.now();
  return Math.floor(Math.min(Date.now(), told + timeStep - 1_000) / 1_000) * 1_000;
};

/** A record of a table's stream in the form of Lambda's event. */
export const streamRecord = (record: StreamsRecord, { arn, timeStep }: Stream): StreamRecord => {
  const at = secondOf(record, timeStep);
  const event = plain({
    eventID: record.eventID,
    eventName: record.eventName,
    eventVersion: "1.1",
    eventSource: "aws:dynamodb",
    awsRegion: place.region,
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
