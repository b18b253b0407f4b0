import * as v from "valibot";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { rowKey } from "./keys.ts";
import { PackedTrace } from "./packed-trace.ts";

const rowItem = v.object({ sk: v.instance(Uint8Array), d: v.instance(Uint8Array) });

/**
 * Returns a function that reads the row of a trace by its id and start; null if there is none. It may lag by seconds, but a
 * row that exists is found.
 */
export const storedRowReader =
  (database: Database) =>
  async (project: string, trace: string, startedAt: Instant): Promise<PackedTrace | null> => {
    const [rows, key] = [itemsOf(database, "rows"), rowKey(project, trace, startedAt)];
    const item = (await rows.get(key, { strongly: false })) ?? (await rows.get(key));
    const row = v.safeParse(rowItem, item);
    return row.success ? new PackedTrace(Buffer.from(row.output.sk), row.output.d) : null;
  };
