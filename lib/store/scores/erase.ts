import * as v from "valibot";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { eraseItems, keyPages, type Erase } from "../erase-items.ts";
import { unpackScore } from "./codec.ts";
import { copyPartition, listPartition, type ScoreTarget } from "./keys.ts";
import { deletePairs, type ScorePair } from "./pairs.ts";

const stored = v.object({
  pk: v.string(),
  sk: v.string(),
  order_key: v.string(),
  d: v.instance(Uint8Array),
});

/** A score and its copy; null of one that cannot be read. */
const pairOf = (target: ScoreTarget, project: string, item: unknown): ScorePair | null => {
  try {
    const { pk, sk, order_key, d } = v.parse(stored, item);
    // The target's id lies at the same place in both kinds.
    const copy = { pk: copyPartition(target, project, unpackScore(d).trace_id), sk: order_key };
    return { score: { pk, sk }, copy };
  } catch {
    return null;
  }
};

/** A project's scores with their copies, by the index of their creation. */
export const eraseScores = (database: Database): Erase =>
  async function* (project) {
    for (const target of ["trace", "session"] as const) {
      const index = { name: "by-creation", key: "list_key" };
      for await (const keys of keyPages(database, "scores", listPartition(target, project), index)) {
        const items = await batchGet(database, "scores", keys);
        const pairs = items.map((item) => pairOf(target, project, item));
        await deletePairs(
          database,
          pairs.filter((pair) => pair !== null),
        );
        // The copy of one that cannot be read is found by the scan of the tables.
        const others = items.filter((_, index) => pairs[index] === null);
        yield pairs.length - others.length + (await eraseItems(database, "scores", others));
      }
    }
  };
