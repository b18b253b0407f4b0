import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { again, attempts, overloaded } from "./attempts.ts";
import type { Database } from "./database.ts";
import * as patience from "./patience.ts";
import type { TableName } from "./table.ts";

/** DynamoDB's limit of one batch of reads. */
const batchSize = 100;

/**
 * Reads items by their keys, strongly unless it is said otherwise; in no order, and without those that are not there. Expired
 * ones may be among them.
 *
 * @throws Overload when DynamoDB hands keys back again and again.
 */
export const batchGet = async (
  { client, table }: Database,
  name: TableName,
  keys: readonly Record<string, unknown>[],
  { strongly = true }: { readonly strongly?: boolean } = {},
): Promise<readonly Record<string, unknown>[]> => {
  const TableName = table(name);
  const found: Record<string, unknown>[] = [];
  for (let start = 0; start < keys.length; start += batchSize) {
    let Keys = keys.slice(start, start + batchSize);
    await attempts(patience.capacity, overloaded, async () => {
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: strongly } } }),
      );
      found.push(...(Responses?.[TableName] ?? []));
      Keys = UnprocessedKeys?.[TableName]?.Keys ?? [];
      return Keys.length === 0 || again;
    });
  }
  return found;
};
