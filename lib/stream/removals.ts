import type { DynamoDBRecord } from "aws-lambda";
import { keyOfRow, dayOfPartition } from "../store/traces/keys.ts";
import type { Removal } from "../store/scores/purge.ts";
import { uuidOf } from "../dynamo/bytes/text.ts";

/**
 * Filters of the rows table's stream, for the purge: tombstones of traces and sessions, when they are written
 * and when they expire; also some records of neither (see `isRemoval`). At the expiry no writer of the deleted incarnation is left, and all indexes are up to date.
 */
export const removalFilters: readonly Record<string, unknown>[] = [
  { dynamodb: { NewImage: { $or: [{ x: { S: [{ exists: true }] } }, { closed: { BOOL: [{ exists: true }] } }] } } },
  { dynamodb: { OldImage: { $or: [{ x: { S: [{ exists: true }] } }, { at: { N: [{ exists: true }] } }] } } },
];

/** True if a stream record of the rows table is about a tombstone that was written, closed or expired. */
export const isRemoval = ({ eventName, dynamodb }: DynamoDBRecord): boolean => {
  const [before, after] = [dynamodb?.OldImage, dynamodb?.NewImage];
  const isTombstone = [before?.["x"], after?.["x"]].some((incarnation) => incarnation?.S !== undefined);
  const isExpired = eventName === "REMOVE" && before?.["at"]?.N !== undefined;
  return isTombstone || after?.["closed"]?.BOOL !== undefined || isExpired;
};

/** Reads the deletions in a stream record of the rows table. @throws Error if the record is not about a deletion. */
export const removalsOf = ({ dynamodb }: DynamoDBRecord): readonly Removal[] => {
  const [pk, sk] = [dynamodb?.Keys?.["pk"]?.B, dynamodb?.Keys?.["sk"]?.B];
  if (pk === undefined || sk === undefined) throw new Error("The record has no key.");
  const partition = Buffer.from(pk, "base64");
  const images = [dynamodb?.NewImage, dynamodb?.OldImage];
  const incarnations = new Set(images.flatMap((image) => image?.["x"]?.S ?? []));
  if (incarnations.size > 0) {
    const { project } = dayOfPartition(partition);
    const { traceId: trace } = keyOfRow(Buffer.from(sk, "base64"));
    return [...incarnations].map((incarnation) => ({ kind: "trace", project, trace, incarnation }));
  }
  const image = images.find((each) => each !== undefined);
  const [session, at] = [image?.["session"]?.S, image?.["at"]?.N];
  if (session === undefined || at === undefined) throw new Error("The record is not about a deletion.");
  return [{ kind: "session", project: uuidOf(partition), session, at: Number(at) }];
};
