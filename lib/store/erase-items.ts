import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import { batchWrite } from "./batch-write.ts";
import type { Database } from "./database.ts";
import type { TableName } from "./table.ts";

/** Something was found that cannot go yet: a later pass removes it. */
export const stays = Symbol("stays");

/**
 * Removes what one table holds of a project (or organization), a little at a time: each value is how many items went. Whoever
 * asks may stop after any of them; asked again it goes on with what is left. At the end of an empty run nothing was there.
 */
export type Erase = (owner: string) => AsyncGenerator<number | typeof stays>;

type Item = Record<string, unknown>;

/** Deletes items by their keys. @returns how many. */
export const eraseItems = async (database: Database, name: TableName, keys: readonly Item[]): Promise<number> => {
  await batchWrite(
    database,
    name,
    keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })),
  );
  return keys.length;
};

/** Pages of the keys of a partition, or of an index's partition. */
export const keyPages = async function* (
  { client, table }: Database,
  name: TableName,
  partition: unknown,
  index?: { readonly name: string; readonly key: string },
): AsyncGenerator<readonly Item[]> {
  const pages = paginateQuery(
    { client, pageSize: 100 },
    {
      TableName: table(name),
      ...(index !== undefined && { IndexName: index.name }),
      KeyConditionExpression: `${index?.key ?? "pk"} = :partition`,
      ProjectionExpression: "pk, sk",
      ExpressionAttributeValues: { ":partition": partition },
      ConsistentRead: index === undefined,
    },
  );
  for await (const { Items = [] } of pages) if (Items.length > 0) yield Items;
};

/**
 * Erases a partition.
 *
 * @param last sort key of the item by which the partition is found: it goes after all others.
 */
export const erasePartition = async function* (
  database: Database,
  name: TableName,
  partition: unknown,
  last?: string,
): AsyncGenerator<number> {
  const kept: Item[] = [];
  for await (const keys of keyPages(database, name, partition)) {
    kept.push(...keys.filter(({ sk }) => sk === last));
    yield await eraseItems(
      database,
      name,
      keys.filter(({ sk }) => sk !== last),
    );
  }
  yield await eraseItems(database, name, kept);
};
