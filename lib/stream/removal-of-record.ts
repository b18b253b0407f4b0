import type { DynamoDBRecord } from "aws-lambda";
import { keyOfRow, dayOfPartition } from "../store/traces/keys.ts";
import { uuidOf } from "../store/bytes/text.ts";

/** What was deleted, and what the purge needs to know of it. */
export type Removal =
  | { readonly kind: "trace"; readonly project: string; readonly trace: string; readonly incarnation: string }
  /** `at`: epoch milliseconds of the deletion. */
  | { readonly kind: "session"; readonly project: string; readonly session: string; readonly at: number };

/**
 * Filters of the purge's mapping: fences that mark a deletion and tombstones of sessions, when they come and when they
 * go. When they go no writer of the deleted incarnation is left, and no index lags behind it.
 */
export const removalFilters: readonly Record<string, unknown>[] = [
  { dynamodb: { NewImage: { x: { S: [{ exists: true }] } } } },
  { dynamodb: { OldImage: { x: { S: [{ exists: true }] } } } },
  { dynamodb: { NewImage: { closed: { BOOL: [{ exists: true }] } } } },
  { eventName: ["REMOVE"], dynamodb: { OldImage: { at: { N: [{ exists: true }] } } } },
];

/** What a record of the rows' stream says was deleted. @throws when it says nothing of the kind. */
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
  if (session === undefined || at === undefined) throw new Error("The record is of no deletion.");
  return [{ kind: "session", project: uuidOf(partition), session, at: Number(at) }];
};
