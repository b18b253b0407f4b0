import * as v from "valibot";
import { deletedTraceSeconds } from "../../domain/traces/deleted-trace.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { bodyPartition, pointerSort } from "../traces/keys.ts";

const bodyItem = v.object({ sk: v.string(), x: v.optional(v.number()) });

/** Items deleted at the same time. */
const parallel = 10;

/** Removes scores and document of a deleted incarnation of a trace. */
export interface TracePurge {
  /**
   * Removes scores and document parts of one incarnation of a trace; other incarnations of the trace id are untouched. The
   * pointer stays without its part, to reject telemetry, and is removed by a purge after that time. A purge may be repeated, and
   * continues after an interrupted call.
   */
  purge(project: string, trace: string, incarnation: string): Promise<void>;
}

/** Removes the scores of one incarnation of a trace. */
type RemoveScores = (project: string, trace: string, incarnation: string) => Promise<void>;

export const tracePurge = (
  database: Database,
  removeScores: RemoveScores,
  now: () => number = Date.now,
): TracePurge => ({
  purge: async (project, trace, incarnation) => {
    await removeScores(project, trace, incarnation);
    const bodies = itemsOf(database, "bodies");
    const pk = bodyPartition(project, trace);
    const seconds = Math.ceil(now() / 1000);
    const values = { ":i": incarnation, ":until": seconds + deletedTraceSeconds };
    /** Turns the pointer into a tombstone that rejects telemetry. */
    const bury = async (): Promise<void> => {
      const change = "SET x = :until, #ttl = :until REMOVE b, bh";
      const when = "i = :i AND attribute_not_exists(x)";
      await ifConditionHolds(bodies.update({ pk, sk: pointerSort }, change, { when, values }));
    };
    const remove = async (sk: string): Promise<void> => {
      // A refusal means that the trace was sent again or another purge deleted the item first.
      await ifConditionHolds(bodies.remove({ pk, sk }, { when: "i = :i", values }));
    };
    const purgeItem = async ({ sk, x }: v.InferOutput<typeof bodyItem>): Promise<void> => {
      if (sk !== pointerSort || (x !== undefined && x <= seconds)) await remove(sk);
      else if (x === undefined) await bury();
    };
    for await (const { items } of bodies.pages({ pk, filter: "i = :i", values, attributes: "sk, x" })) {
      const keys = items.map((item) => v.parse(bodyItem, item));
      for (let start = 0; start < keys.length; start += parallel) {
        await Promise.all(keys.slice(start, start + parallel).map(purgeItem));
      }
    }
  },
});
