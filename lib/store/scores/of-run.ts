import type { Score } from "../../domain/scores/score.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { runScoresPartition, targetOfKey } from "./keys.ts";
import type { ScoreKind } from "./kind.ts";
import { isLive } from "../../dynamo/is-live.ts";
import { stalenessReader, type WithStaleness } from "./stale/with-staleness.ts";
import { scoreReader } from "./reader.ts";

/** Reader of the scores that runs created, either of traces or of sessions. */
export interface RunScores<S extends Score> {
  /** Iterates over the scores of a run, newest first, from an index that may lag writes. */
  indexed(project: string, run: string): AsyncIterable<S>;
  /** Reads scores by id, strongly consistent; absent ones are left out. */
  read(project: string, ids: readonly string[]): Promise<readonly S[]>;
  /** Reads scores by id with their staleness. */
  readWithStaleness(project: string, ids: readonly string[]): Promise<readonly WithStaleness<S>[]>;
}

export const runScores = <S extends Score>(
  database: Database,
  kind: ScoreKind<S>,
  now: () => number = Date.now,
): RunScores<S> => {
  const { read } = scoreReader(database, kind, now);
  const staleness = stalenessReader(database, kind, now);

  return {
    indexed: async function* (project, run) {
      const values = { ":run": runScoresPartition(project, run) };
      const query = { index: "by-run", where: "run_key = :run", values, descending: true };
      for await (const item of itemsOf(database, "scores").query(query)) {
        // The index of a session run also contains scores of the sessions' traces.
        if (targetOfKey(String(item["pk"])) === kind.target && isLive(item, now())) yield kind.unpack(item["d"]);
      }
    },

    read,
    readWithStaleness: async (project, ids) => staleness.all(project, await read(project, ids)),
  };
};
