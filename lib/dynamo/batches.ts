import { BatchGetCommand, BatchWriteCommand, type BatchWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { mapConcurrently } from "../async/concurrency.ts";
import type { Database } from "./database.ts";
import { batchRetryPolicy } from "./retry-policies.ts";
import type { TableName } from "./table.ts";
import { tryAgain, withRetries, throwOverload, type RetryTiming } from "./with-retries.ts";

/** Keys in one BatchGetItem request: DynamoDB's limit. */
const readBatchSize = 100;

/** BatchGetItem requests of one call in parallel: together at most 1,600 items, half of a partition's read units. */
const parallelReads = 16;

/**
 * Reads items by their keys, in no particular order, a hundred per request; keys without an item are left out. Expired
 * items may be among them.
 *
 * @param strongly false for eventually consistent reads, at half the price.
 * @param attributes names of the attributes to read, separated by commas; all when absent.
 * @throws Overload when DynamoDB leaves keys unprocessed at every attempt.
 */
export const batchGet = async (
  { client, table }: Database,
  name: TableName,
  keys: readonly Record<string, unknown>[],
  { strongly = true, attributes }: { readonly strongly?: boolean; readonly attributes?: string } = {},
): Promise<readonly Record<string, unknown>[]> => {
  const TableName = table(name);
  const items: Record<string, unknown>[] = [];
  const starts = Array.from({ length: Math.ceil(keys.length / readBatchSize) }, (_, batch) => batch * readBatchSize);
  await mapConcurrently(starts, parallelReads, async (start) => {
    let Keys = keys.slice(start, start + readBatchSize);
    await withRetries(batchRetryPolicy, throwOverload, async () => {
      const request = { Keys, ConsistentRead: strongly, ProjectionExpression: attributes };
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [TableName]: request } }),
      );
      items.push(...(Responses?.[TableName] ?? []));
      Keys = UnprocessedKeys?.[TableName]?.Keys ?? [];
      return Keys.length === 0 || tryAgain;
    });
  });
  return items;
};

/** An unconditional put or delete request of a batch. */
export type BatchedWrite = NonNullable<BatchWriteCommandInput["RequestItems"]>[string][number];

/** Requests in one BatchWriteItem call: DynamoDB's limit. */
const writeBatchSize = 25;

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
  for (let start = 0; start < writes.length; start += writeBatchSize) {
    let pending = writes.slice(start, start + writeBatchSize);
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
