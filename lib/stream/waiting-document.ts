import type { DynamoDBRecord } from "aws-lambda";
import { dayOfPartition, keyOfRow } from "../store/traces/keys.ts";

/** A trace of whose document pieces are to be put together. */
export interface WaitingDocument {
  readonly project: string;
  readonly trace: string;
}

/** Filters of a mapping of the rows' stream: rows that say so. */
export const waitingFilters: readonly Record<string, unknown>[] = [
  { dynamodb: { NewImage: { f: { N: [{ exists: true }] } } } },
];

/** What a record of the rows' stream says is waiting; null when it says something else. */
export const waitingDocument = ({ dynamodb }: DynamoDBRecord): WaitingDocument | null => {
  const [pk, sk] = [dynamodb?.Keys?.["pk"]?.B, dynamodb?.Keys?.["sk"]?.B];
  if (dynamodb?.NewImage?.["f"]?.N === undefined || pk === undefined || sk === undefined) return null;
  const { project } = dayOfPartition(Buffer.from(pk, "base64"));
  return { project, trace: keyOfRow(Buffer.from(sk, "base64")).traceId };
};
