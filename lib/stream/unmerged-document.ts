import type { DynamoDBRecord } from "aws-lambda";
import { dayOfPartition, keyOfRow } from "../store/traces/keys.ts";

/** Trace whose document has pieces to merge. */
export interface UnmergedDocument {
  readonly project: string;
  readonly trace: string;
}

/** Reads the trace with document pieces to merge from a stream record; null if the record has no such mark. */
export const unmergedDocument = ({ dynamodb }: DynamoDBRecord): UnmergedDocument | null => {
  const [pk, sk] = [dynamodb?.Keys?.["pk"]?.B, dynamodb?.Keys?.["sk"]?.B];
  if (dynamodb?.NewImage?.["f"]?.N === undefined || pk === undefined || sk === undefined) return null;
  const { project } = dayOfPartition(Buffer.from(pk, "base64"));
  return { project, trace: keyOfRow(Buffer.from(sk, "base64")).traceId };
};
