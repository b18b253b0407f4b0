import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { bodyPartition } from "../traces/keys.ts";

const bodyItem = v.object({ sk: v.string() });

/** Items deleted at the same time. */
const parallel = 10;

/** Removes scores and document of a deleted incarnation of a trace. */
export interface TracePurge {
  /**
   * Removes scores, document parts and pointer of one incarnation of a trace; other incarnations of the trace id are
   * untouched. It may be repeated, and continues after an interrupted call.
   */
  purge(project: string, trace: string, incarnation: string): Promise<void>;
}

/** Removes the scores of one incarnation of a trace. */
type RemoveScores = (project: string, trace: string, incarnation: string) => Promise<void>;

export const tracePurge = (database: Database, removeScores: RemoveScores): TracePurge => ({
  purge: async (project, trace, incarnation) => {
    await removeScores(project, trace, incarnation);
    const bodies = itemsOf(database, "bodies");
    const pk = bodyPartition(project, trace);
    const values = { ":i": incarnation };
    const remove = async (sk: string): Promise<void> => {
      // A refusal means that the trace was sent again or another purge deleted the item first.
      await ifConditionHolds(bodies.remove({ pk, sk }, { when: "i = :i", values }));
    };
    for await (const { items } of bodies.pages({ pk, filter: "i = :i", values, attributes: "sk" })) {
      const sorts = items.map((item) => v.parse(bodyItem, item).sk);
      for (let start = 0; start < sorts.length; start += parallel) {
        await Promise.all(sorts.slice(start, start + parallel).map(remove));
      }
    }
  },
});
