import * as v from "valibot";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { keyPages, type Erase } from "../erase-items.ts";
import { unpackScore } from "./codec.ts";
import { copyPartition, listPartition } from "./keys.ts";
import { deletePairs } from "./pairs.ts";

const stored = v.object({
  pk: v.string(),
  sk: v.string(),
  order_key: v.string(),
  d: v.instance(Uint8Array),
});

/** A project's scores with their copies, by the index of their creation. */
export const eraseScores = (database: Database): Erase =>
  async function* (project) {
    for (const target of ["trace", "session"] as const) {
      const index = { name: "by-creation", key: "list_key" };
      for await (const keys of keyPages(database, "scores", listPartition(target, project), index)) {
        const items = await batchGet(database, "scores", keys);
        const pairs = items.map((item) => {
          const { pk, sk, order_key, d } = v.parse(stored, item);
          // The target's id lies at the same place in both kinds.
          const copy = { pk: copyPartition(target, project, unpackScore(d).trace_id), sk: order_key };
          return { score: { pk, sk }, copy };
        });
        await deletePairs(database, pairs);
        yield pairs.length;
      }
    }
  };
