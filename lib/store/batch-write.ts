import { BatchWriteCommand, type BatchWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { again, attempts, overloaded, type Pace } from "./attempts.ts";
import type { Database } from "./database.ts";
import * as patience from "./patience.ts";
import type { TableName } from "./table.ts";

/** A put or a delete, without a condition. */
export type BatchedWrite = NonNullable<BatchWriteCommandInput["RequestItems"]>[string][number];

/** DynamoDB's limit of one batch of writes. */
const batchSize = 25;

/**
 * Writes and deletes items of one table, in their order as far as batches go. Everything is durable when it returns; when it
 * throws, any of it may be.
 *
 * @throws Overload when DynamoDB hands items back again and again.
 */
export const batchWrite = async (
  { client, table }: Database,
  name: TableName,
  writes: readonly BatchedWrite[],
  pace?: Pace,
): Promise<void> => {
  const TableName = table(name);
  for (let start = 0; start < writes.length; start += batchSize) {
    let pending = writes.slice(start, start + batchSize);
    await attempts(
      patience.capacity,
      overloaded,
      async () => {
        const { UnprocessedItems } = await client.send(
          new BatchWriteCommand({ RequestItems: { [TableName]: pending } }),
        );
        pending = UnprocessedItems?.[TableName] ?? [];
        return pending.length === 0 || again;
      },
      pace,
    );
  }
};
