import { batchWrite } from "./batches.ts";
import type { Database } from "./database.ts";
import { itemsOf, type Item } from "./items.ts";
import type { TableName } from "./table.ts";

/** Yielded when an item exists that cannot be deleted yet; a later pass deletes it. */
export const cannotEraseYet = Symbol("stays");

/** Yielded by an eraser that reads more than it deletes: all before this place is done. */
interface Reached {
  readonly place: string;
}

/**
 * Deletes everything that one table holds of a project, organization or user, in small steps; yields the number of deleted
 * items, `cannotEraseYet`, or the place that it has reached. The caller may stop after any step: the next call continues with the
 * remaining items. A call that yields no number but zero found nothing.
 *
 * @param place last place that an earlier call yielded; null or absent to begin with the first item.
 */
export type Erase = (owner: string, place?: string | null) => AsyncGenerator<number | typeof cannotEraseYet | Reached>;

/** Deletes items by their keys. @returns the number of keys. */
export const eraseItems = async (database: Database, name: TableName, keys: readonly Item[]): Promise<number> => {
  await batchWrite(
    database,
    name,
    keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })),
  );
  return keys.length;
};

/** Yields pages of the primary keys of a table's partition, or of an index's partition. */
export const keyPages = async function* (
  database: Database,
  name: TableName,
  partition: unknown,
  index?: { readonly name: string; readonly key: string },
): AsyncGenerator<readonly Item[]> {
  const pages = itemsOf(database, name).pages({
    index: index?.name,
    where: `${index?.key ?? "pk"} = :partition`,
    values: { ":partition": partition },
    attributes: "pk, sk",
    limit: 100,
  });
  for await (const { items } of pages) if (items.length > 0) yield items;
};

/**
 * Deletes all items of a partition; yields the number deleted after each page.
 *
 * @param last sort key of the item that leads to the partition: it is deleted after all others.
 */
export const erasePartition = async function* (
  database: Database,
  name: TableName,
  partition: unknown,
  last?: string,
): AsyncGenerator<number> {
  const lastKeys: Item[] = [];
  for await (const keys of keyPages(database, name, partition)) {
    lastKeys.push(...keys.filter(({ sk }) => sk === last));
    yield await eraseItems(
      database,
      name,
      keys.filter(({ sk }) => sk !== last),
    );
  }
  yield await eraseItems(database, name, lastKeys);
};
