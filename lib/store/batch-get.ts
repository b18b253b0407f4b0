import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "./database.ts";
import type { TableName } from "./table.ts";

/** DynamoDB's limit of one batch of reads. */
const batchSize = 100;

/** Reads items by their keys, strongly; in no order, and without those that are not there. Expired ones may be among them. */
export const batchGet = async (
  { client, table }: Database,
  name: TableName,
  keys: readonly Record<string, unknown>[],
): Promise<readonly Record<string, unknown>[]> => {
  const found: Record<string, unknown>[] = [];
  for (let start = 0; start < keys.length; start += batchSize) {
    let Keys = keys.slice(start, start + batchSize);
    for (let pause = 20; Keys.length > 0; pause = Math.min(pause * 2, 1000)) {
      const reply = await client.send(
        new BatchGetCommand({ RequestItems: { [table(name)]: { Keys, ConsistentRead: true } } }),
      );
      found.push(...(reply.Responses?.[table(name)] ?? []));
      Keys = reply.UnprocessedKeys?.[table(name)]?.Keys ?? [];
      if (Keys.length > 0) await wait(Math.random() * pause);
    }
  }
  return found;
};
