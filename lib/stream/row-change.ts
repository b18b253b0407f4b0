import type { DynamoDBRecord } from "aws-lambda";
import { hourOf, type Hour } from "../domain/analytics/bucket.ts";
import { expiryOf } from "../store/expiry.ts";
import { dayOfPartition, keyOfRow } from "../store/traces/keys.ts";

/** What became of a trace's row: when it expires, before and after; null where there was or is none. */
export interface RowChange {
  readonly project: string;
  /** In which the trace started. */
  readonly hour: Hour;
  readonly before: string | null;
  readonly after: string | null;
  /** The record's sequence number, rising within its shard. */
  readonly sequence: bigint;
}

type Image = NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"];

/** Fences and lists of days share the table with rows; only a row has a packed row in it. */
const expiry = (image: Image): string | null => {
  if (image?.["d"]?.B === undefined) return null;
  const ttl = image["ttl"]?.N;
  return expiryOf(ttl === undefined ? undefined : Number(ttl));
};

/** What the records of the rows' stream say of rows. */
export const rowChanges = (records: readonly DynamoDBRecord[]): readonly RowChange[] =>
  records.flatMap(({ dynamodb }) => {
    const [before, after] = [expiry(dynamodb?.OldImage), expiry(dynamodb?.NewImage)];
    const { pk, sk } = dynamodb?.Keys ?? {};
    const sequence = dynamodb?.SequenceNumber;
    if ((before ?? after) === null || pk?.B === undefined || sk?.B === undefined || sequence === undefined) return [];
    const { project } = dayOfPartition(Buffer.from(pk.B, "base64"));
    const { startedAt } = keyOfRow(Buffer.from(sk.B, "base64"));
    return [{ project, hour: hourOf(startedAt), before, after, sequence: BigInt(sequence) }];
  });
