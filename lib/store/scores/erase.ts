import * as v from "valibot";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { eraseItems, keyPages, type Erase } from "../erase-items.ts";
import { unpackScore } from "./codec.ts";
import { copyPartition, formerListPartition, listPartitions, type ScoreTarget } from "./keys.ts";
import { newestKey } from "./newest-codec.ts";
import { deletePairs } from "./pairs.ts";

const stored = v.object({
  pk: v.string(),
  sk: v.string(),
  order_key: v.string(),
  d: v.instance(Uint8Array),
  n: v.string(),
  i: v.optional(v.string()),
});

/** A score and its copy, and the item that may tell it as the newest; null of one that cannot be read. */
const pairOf = (target: ScoreTarget, project: string, item: unknown) => {
  try {
    const { pk, sk, order_key, d, n: name, i: incarnation = null } = v.parse(stored, item);
    // The target's id lies at the same place in both kinds.
    const id = unpackScore(d).trace_id;
    const copy = { pk: copyPartition(target, project, id), sk: order_key };
    return { score: { pk, sk }, copy, newest: newestKey({ project, target, id, incarnation }, name) };
  } catch {
    return null;
  }
};

/** A project's scores with their copies and what tells the newest of them, by the indexes of their creation. */
export const eraseScores = (database: Database): Erase => {
  const keysOf = async function* (target: ScoreTarget, project: string) {
    const [index, former] = [
      { name: "by-time", key: "time_key" },
      { name: "by-creation", key: "list_key" },
    ];
    for (const partition of listPartitions(target, project)) yield* keyPages(database, "scores", partition, index);
    yield* keyPages(database, "scores", formerListPartition(target, project), former);
  };

  return async function* (project) {
    for (const target of ["trace", "session"] as const) {
      for await (const keys of keysOf(target, project)) {
        const items = await batchGet(database, "scores", keys);
        const pairs = items.map((item) => pairOf(target, project, item));
        const readable = pairs.filter((pair) => pair !== null);
        // Before the scores: they lead to them.
        const newest = new Map(readable.map((pair) => [JSON.stringify(pair.newest), pair.newest]));
        await eraseItems(database, "aggregates", [...newest.values()]);
        await deletePairs(database, readable);
        // The copy of one that cannot be read is found by the scan of the tables.
        const others = items.filter((_, index) => pairs[index] === null);
        yield pairs.length - others.length + (await eraseItems(database, "scores", others));
      }
    }
  };
};
