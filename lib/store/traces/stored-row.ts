import * as v from "valibot";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { rowKeyIn } from "./keys.ts";
import { PackedTrace } from "./packed-trace.ts";

const rowItem = v.object({ sk: v.instance(Uint8Array), d: v.instance(Uint8Array) });

/**
 * Returns a function that reads the row of a trace by its id, its start and the number of its partition; null if there is none.
 * It may lag by seconds, but a row that exists is found.
 */
export const storedRowReader =
  (database: Database) =>
  async (project: string, trace: string, startedAt: Instant, partition: number): Promise<PackedTrace | null> => {
    const [rows, key] = [itemsOf(database, "rows"), rowKeyIn(project, trace, startedAt, partition)];
    const item = (await rows.get(key, { strongly: false })) ?? (await rows.get(key));
    const row = v.safeParse(rowItem, item);
    return row.success ? new PackedTrace(Buffer.from(row.output.sk), row.output.d) : null;
  };
