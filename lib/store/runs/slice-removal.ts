import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../database.ts";
import { keyPages } from "../erase-items.ts";
import { runPartition, slicePrefix } from "./keys.ts";

/** Deletes at a time. */
const width = 16;

type Key = Record<string, unknown>;

/** The keys of all slices of a run, of creations that were broken off too. */
export const sliceKeys = async (database: Database, project: string, run: string): Promise<readonly Key[]> => {
  const found: Key[] = [];
  for await (const keys of keyPages(database, "runs", runPartition(project, run)))
    found.push(...keys.filter(({ sk }) => String(sk).startsWith(slicePrefix)));
  return found;
};

export const deleteSlices = async ({ client, table }: Database, keys: readonly Key[]): Promise<void> => {
  for (let start = 0; start < keys.length; start += width) {
    const group = keys.slice(start, start + width);
    await Promise.all(group.map((Key) => client.send(new DeleteCommand({ TableName: table("runs"), Key }))));
  }
};
