import * as v from "valibot";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { eraseItems, keyPages, type Erase } from "../../dynamo/erase-items.ts";
import { unpackScore } from "./codec.ts";
import { copyPartition, listPartitions, type ScoreTarget } from "./keys.ts";
import { newestKey } from "./newest/newest-codec.ts";
import { deletePairs } from "./pairs.ts";

const scoreItem = v.object({
  pk: v.string(),
  sk: v.string(),
  order_key: v.string(),
  d: v.instance(Uint8Array),
  n: v.string(),
  i: v.optional(v.string()),
});

/**
 * Returns the keys of a score, of its copy, and of the newest-score item of its name; null when the score cannot be
 * parsed.
 */
const pairOf = (target: ScoreTarget, project: string, item: unknown) => {
  try {
    const { pk, sk, order_key, d, n: name, i: incarnation = null } = v.parse(scoreItem, item);
    // Packed scores of traces and of sessions have the target's id in the same field.
    const id = unpackScore(d).trace_id;
    const copy = { pk: copyPartition(target, project, id), sk: order_key };
    return { score: { pk, sk }, copy, newest: newestKey({ project, target, id, incarnation }, name) };
  } catch {
    return null;
  }
};

/** Erases a project's scores with their copies and newest-score items, found through the index by time. */
export const eraseScores = (database: Database): Erase => {
  const keysOf = async function* (target: ScoreTarget, project: string) {
    const index = { name: "by-time", key: "time_key" };
    for (const partition of listPartitions(target, project)) yield* keyPages(database, "scores", partition, index);
  };

  return async function* (project) {
    for (const target of ["trace", "session"] as const) {
      for await (const keys of keysOf(target, project)) {
        const items = await batchGet(database, "scores", keys);
        const pairs = items.map((item) => pairOf(target, project, item));
        const readable = pairs.filter((pair) => pair !== null);
        // Newest-score items are erased before the scores, which are needed to find them.
        const newest = new Map(readable.map((pair) => [JSON.stringify(pair.newest), pair.newest]));
        await eraseItems(database, "aggregates", [...newest.values()]);
        await deletePairs(database, readable);
        // The copy of an unreadable score is found later by the scan of the tables.
        const unreadableItems = items.filter((_, index) => pairs[index] === null);
        yield pairs.length - unreadableItems.length + (await eraseItems(database, "scores", unreadableItems));
      }
    }
  };
};
