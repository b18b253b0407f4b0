import type { DynamoDBRecord } from "aws-lambda";
import { PackedTrace } from "../store/traces/packed-trace.ts";

/**
 * Returns the row in an image of the rows stream; null for other items. A row that had expired is none: its expiry is no change.
 *
 * @param sort sort key of the record, in base64. @param at instant of the record, epoch seconds; 0 takes expired rows, too.
 */
export const rowInImage = (
  image: NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"],
  sort: string,
  at: number,
): PackedTrace | null => {
  const [packed, ttl] = [image?.["d"]?.B, image?.["ttl"]?.N];
  if (packed === undefined || (ttl !== undefined && Number(ttl) <= at)) return null;
  return new PackedTrace(Buffer.from(sort, "base64"), Buffer.from(packed, "base64"));
};
