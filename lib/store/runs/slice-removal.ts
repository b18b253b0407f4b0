import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../../dynamo/database.ts";
import { keyPages } from "../../dynamo/erase-items.ts";
import { runPartition, slicePrefix } from "./keys.ts";

/** Deletions in parallel. */
const maxParallelDeletes = 16;

type Key = Record<string, unknown>;

/** Reads the keys of all slices of a run, including slices of aborted creations. */
export const sliceKeys = async (database: Database, project: string, run: string): Promise<readonly Key[]> => {
  const allKeys: Key[] = [];
  for await (const keys of keyPages(database, "runs", runPartition(project, run)))
    allKeys.push(...keys.filter(({ sk }) => String(sk).startsWith(slicePrefix)));
  return allKeys;
};

/** Deletes slices of runs by their keys. */
export const deleteSlices = async ({ client, table }: Database, keys: readonly Key[]): Promise<void> => {
  for (let start = 0; start < keys.length; start += maxParallelDeletes) {
    const group = keys.slice(start, start + maxParallelDeletes);
    await Promise.all(group.map((Key) => client.send(new DeleteCommand({ TableName: table("runs"), Key }))));
  }
};
