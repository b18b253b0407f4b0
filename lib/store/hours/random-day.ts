import { randomBytes } from "node:crypto";
import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { dayOfPartition, rowKeyLengths } from "../traces/keys.ts";

const key = v.object({ pk: v.instance(Uint8Array) });

/** Max items scanned to find a row: tombstones and day lists lie between rows. */
const maxScanned = 50;

/**
 * Returns a random partition of a project's UTC day with traces, weighted by the number of traces; null when no row was
 * found.
 */
export const randomDay = async (
  database: Database,
): Promise<{ readonly project: string; readonly day: string; readonly partition: number } | null> => {
  const rows = itemsOf(database, "rows");
  const random = { pk: randomBytes(rowKeyLengths.pk), sk: randomBytes(rowKeyLengths.sk) };
  // At the end of the table the scan continues from its beginning.
  for (const start of [random, undefined]) {
    const { items } = await rows.scan({ attributes: "pk", limit: maxScanned, start, strongly: false });
    const row = items.map((item) => v.parse(key, item).pk).find((pk) => pk.length >= rowKeyLengths.pk);
    if (row !== undefined) return dayOfPartition(Buffer.from(row));
  }
  return null;
};
