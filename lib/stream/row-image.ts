import type { DynamoDBRecord } from "aws-lambda";
import type { PackedTrace } from "../store/traces/packed-trace.ts";
import { packedTraceOf } from "../store/traces/row-scan.ts";

/** An image of a record of the rows stream. */
export type RowImage = NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"];

/**
 * Returns the row in an image of the rows stream; null for other items. A row that had expired is none: its expiry is no change.
 *
 * @param sort sort key of the record, in base64. @param at instant of the record, epoch seconds; 0 takes expired rows, too.
 */
export const rowInImage = (image: RowImage, sort: string, at: number): PackedTrace | null =>
  packedTraceOf({ ...image, sk: { B: sort } }, at * 1000);
