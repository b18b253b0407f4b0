import { BatchWriteCommand, type BatchWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { tryAgain, withRetries, throwOverload, type RetryTiming } from "./with-retries.ts";
import type { Database } from "./database.ts";
import { batchRetryPolicy } from "./retry-policies.ts";
import type { TableName } from "./table.ts";

/** An unconditional put or delete request of a batch. */
export type BatchedWrite = NonNullable<BatchWriteCommandInput["RequestItems"]>[string][number];

/** Requests in one BatchWriteItem call: DynamoDB's limit. */
const batchSize = 25;

/**
 * Writes and deletes items of one table, 25 at a time, in the given order between batches. All writes are durable on
 * return; after an error, some of them may have been written.
 *
 * @throws Overload when DynamoDB leaves items unprocessed at every attempt.
 */
export const batchWrite = async (
  { client, table }: Database,
  name: TableName,
  writes: readonly BatchedWrite[],
  timing?: RetryTiming,
): Promise<void> => {
  const TableName = table(name);
  for (let start = 0; start < writes.length; start += batchSize) {
    let pending = writes.slice(start, start + batchSize);
    await withRetries(
      batchRetryPolicy,
      throwOverload,
      async () => {
        const { UnprocessedItems } = await client.send(
          new BatchWriteCommand({ RequestItems: { [TableName]: pending } }),
        );
        pending = UnprocessedItems?.[TableName] ?? [];
        return pending.length === 0 || tryAgain;
      },
      timing,
    );
  }
};
