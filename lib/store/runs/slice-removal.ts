import type { Database } from "../../dynamo/database.ts";
import { keyPages } from "../../dynamo/erase-items.ts";
import { itemsOf, type Item } from "../../dynamo/items.ts";
import { heldPrefix, runPartition, slicePrefix } from "./keys.ts";

/** Deletions in parallel. */
const maxParallelDeletes = 16;

/** Reads the keys of all slices of a run, including slices of aborted creations, and of their held judgements. */
export const sliceKeys = async (database: Database, project: string, run: string): Promise<readonly Item[]> => {
  const allKeys: Item[] = [];
  for await (const keys of keyPages(database, "runs", runPartition(project, run)))
    allKeys.push(...keys.filter(({ sk }) => [slicePrefix, heldPrefix].some((prefix) => String(sk).startsWith(prefix))));
  return allKeys;
};

/** Deletes slices of runs by their keys. */
export const deleteSlices = async (database: Database, keys: readonly Item[]): Promise<void> => {
  const runs = itemsOf(database, "runs");
  for (let start = 0; start < keys.length; start += maxParallelDeletes) {
    const group = keys.slice(start, start + maxParallelDeletes);
    await Promise.all(group.map((key) => runs.remove(key)));
  }
};
