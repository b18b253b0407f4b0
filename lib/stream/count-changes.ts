import type { DynamoDBRecord } from "aws-lambda";
import { dayOfPartition } from "../store/trace-keys.ts";
import type { CountChange } from "../store/trace-counts.ts";

type Image = NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"];

/** Fences and lists of days share the table with rows; only a row has a packed row in it. */
const isRow = (image: Image): boolean => image?.["d"]?.B !== undefined;

/** What the records of the rows' stream say about the number of traces. */
export const countChanges = (records: readonly DynamoDBRecord[]): readonly CountChange[] =>
  records.flatMap(({ dynamodb }) => {
    const [before, after] = [isRow(dynamodb?.OldImage), isRow(dynamodb?.NewImage)];
    const [partition, sequence] = [dynamodb?.Keys?.["pk"]?.B, dynamodb?.SequenceNumber];
    if (before === after || partition === undefined || sequence === undefined) return [];
    const { project, day } = dayOfPartition(Buffer.from(partition, "base64"));
    return [{ project, day, change: after ? (1 as const) : (-1 as const), sequence: BigInt(sequence) }];
  });
