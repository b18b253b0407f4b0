import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { scoreMatchKey } from "./keys.ts";

/** Time for which it is known who counts a score: a window of a week, and the eight days for which its sums are kept. */
export const matchMilliseconds = 15 * 86_400_000;

const matchItem = v.object({ rules: v.set(v.string()), c: v.string(), seq: v.string() });

/** The rules with trace filters that count a score, as its trace was when they did: its row may change or be deleted. */
export interface ScoreMatch {
  /** Ids of the rules. */
  readonly rules: ReadonlySet<string>;
  /** Session of the trace, or the trace's id. */
  readonly cluster: string;
  /** Sequence number of the stream record by which they count it. */
  readonly sequence: bigint;
}

/** Store of who counts which score. An item is removed with its score. */
export const scoreMatches = (database: Database, now: () => number = Date.now) => {
  const aggregates = itemsOf(database, "aggregates");

  return {
    /** Reads who counts a score, strongly consistent; null if no rule with trace filters does. */
    get: async (project: string, score: string): Promise<ScoreMatch | null> => {
      const item = await aggregates.get(scoreMatchKey(project, score));
      if (item === undefined) return null;
      const { rules, c: cluster, seq } = v.parse(matchItem, item);
      return { rules, cluster, sequence: BigInt(seq) };
    },

    /** Stores who counts a score. */
    put: async (project: string, score: string, { rules, cluster, sequence }: ScoreMatch): Promise<void> => {
      const ttl = Math.ceil((now() + matchMilliseconds) / 1000);
      await aggregates.put({ ...scoreMatchKey(project, score), rules, c: cluster, seq: String(sequence), ttl });
    },

    /** Removes who counted a score that is gone. */
    remove: (project: string, score: string) => aggregates.remove(scoreMatchKey(project, score)),
  };
};

export type ScoreMatches = ReturnType<typeof scoreMatches>;
