import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { hourOf, type Hour } from "../../domain/analytics/bucket.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { instantOfOrder, scoreKey, targetOfKey, type ScoreTarget } from "./keys.ts";

/** An hour in which scores of a project were created. */
export interface ScoreHour {
  readonly project: string;
  readonly target: ScoreTarget;
  readonly hour: Hour;
}

/** Max items scanned to find a score: copies of scores lie between scores. */
const maxScanned = 50;

const entry = v.object({ pk: v.string(), order_key: v.optional(v.string()) });

/** Returns a random hour in which scores were created, weighted by their number; null when no score was found. */
export const randomScoreHour = async (database: Database): Promise<ScoreHour | null> => {
  // At the end of the table the scan continues from its beginning.
  for (const start of [scoreKey(randomUUID(), randomUUID()), undefined]) {
    const scan = { attributes: "pk, order_key", limit: maxScanned, start, strongly: false };
    for (const item of (await itemsOf(database, "scores").scan(scan)).items) {
      const { pk, order_key: order } = v.parse(entry, item);
      if (order === undefined) continue;
      return { project: pk.slice(0, pk.indexOf("#")), target: targetOfKey(pk), hour: hourOf(instantOfOrder(order)) };
    }
  }
  return null;
};
