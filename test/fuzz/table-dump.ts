import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "../../lib/dynamo/database.ts";
import { tableNames } from "../../lib/dynamo/table.ts";

/** Items as text, sorted by table and key. */
export type Dump = readonly string[];

/** A value with sorted keys and bytes in hex, so that equal values have equal JSON. */
export const sorted = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (value instanceof Set) return [...value].map(sorted).sort();
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
};

/**
 * Items of each project that contain its id as text or bytes. Aggregates are omitted, as they are updated
 * asynchronously.
 */
const ofProjects = async (database: Database, projectIds: readonly string[]): Promise<readonly Dump[]> => {
  const projects = projectIds.map((id) => ({ id, bytes: id.replaceAll("-", ""), itemTexts: new Array<string>() }));
  for (const table of tableNames.filter((name) => name !== "aggregates")) {
    const input = { TableName: database.table(table), ConsistentRead: true };
    for await (const { Items = [] } of paginateScan({ client: database.client }, input)) {
      for (const item of Items) {
        const text = `${table} ${JSON.stringify(sorted(item))}`;
        for (const { id, bytes, itemTexts } of projects)
          if (text.includes(id) || text.includes(bytes)) itemTexts.push(text);
      }
    }
  }
  return projects.map(({ itemTexts }) => itemTexts.toSorted());
};

/** Items of some projects after all background work has finished. */
export const projectsAtRest = async (database: Database, projectIds: readonly string[]): Promise<readonly Dump[]> => {
  let last = await ofProjects(database, projectIds);
  for (let quiet = 0; quiet < 3;) {
    await wait(500);
    const next = await ofProjects(database, projectIds);
    quiet = JSON.stringify(next) === JSON.stringify(last) ? quiet + 1 : 0;
    last = next;
  }
  return last;
};
