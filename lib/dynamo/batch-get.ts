import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { tryAgain, withRetries, throwOverload } from "./with-retries.ts";
import type { Database } from "./database.ts";
import { batchRetryPolicy } from "./retry-policies.ts";
import type { TableName } from "./table.ts";

/** Keys in one BatchGetItem request: DynamoDB's limit. */
const batchSize = 100;

/**
 * Reads items by their keys, in no particular order; keys without an item are left out. Expired items may be among
 * them.
 *
 * @param strongly false for eventually consistent reads, at half the price.
 * @throws Overload when DynamoDB leaves keys unprocessed at every attempt.
 */
export const batchGet = async (
  { client, table }: Database,
  name: TableName,
  keys: readonly Record<string, unknown>[],
  { strongly = true }: { readonly strongly?: boolean } = {},
): Promise<readonly Record<string, unknown>[]> => {
  const TableName = table(name);
  const items: Record<string, unknown>[] = [];
  for (let start = 0; start < keys.length; start += batchSize) {
    let Keys = keys.slice(start, start + batchSize);
    await withRetries(batchRetryPolicy, throwOverload, async () => {
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: strongly } } }),
      );
      items.push(...(Responses?.[TableName] ?? []));
      Keys = UnprocessedKeys?.[TableName]?.Keys ?? [];
      return Keys.length === 0 || tryAgain;
    });
  }
  return items;
};
