import type { DynamoDBRecord } from "aws-lambda";
import { hourOf, type Hour } from "../domain/analytics/bucket.ts";
import { expiryDayOf } from "../dynamo/expiry.ts";
import { dayOfPartition, keyOfRow } from "../store/traces/keys.ts";

/** Change of a packed trace row: its expiry before and after the change, null if there was or is no row. */
export interface RowChange {
  readonly project: string;
  /** Number of the row's partition within its day. */
  readonly partition: number;
  /** UTC hour in which the trace started. */
  readonly hour: Hour;
  readonly before: string | null;
  readonly after: string | null;
  /** Sequence number of the stream record, ascending within its shard. */
  readonly sequence: bigint;
}

type Image = NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"];

/** Returns the expiry of a trace row; null for other items of the table, such as tombstones and lists of days. */
const expiry = (image: Image): string | null => {
  if (image?.["d"]?.B === undefined) return null;
  const ttl = image["ttl"]?.N;
  return expiryDayOf(ttl === undefined ? undefined : Number(ttl));
};

/** Reads the row changes in stream records of the rows table. */
export const rowChanges = (records: readonly DynamoDBRecord[]): readonly RowChange[] =>
  records.flatMap(({ dynamodb }) => {
    const [before, after] = [expiry(dynamodb?.OldImage), expiry(dynamodb?.NewImage)];
    const { pk, sk } = dynamodb?.Keys ?? {};
    const sequence = dynamodb?.SequenceNumber;
    if ((before ?? after) === null || pk?.B === undefined || sk?.B === undefined || sequence === undefined) return [];
    const { project, partition } = dayOfPartition(Buffer.from(pk.B, "base64"));
    const { startedAt } = keyOfRow(Buffer.from(sk.B, "base64"));
    return [{ project, partition, hour: hourOf(startedAt), before, after, sequence: BigInt(sequence) }];
  });
