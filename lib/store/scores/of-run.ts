import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { Score } from "../../domain/scores/score.ts";
import type { Database } from "../database.ts";
import { runScoresPartition, targetOfKey } from "./keys.ts";
import type { ScoreKind } from "./kind.ts";
import { isLive } from "../is-live.ts";
import { scoreMarks, type Marked } from "./stale/marked.ts";
import { scoreReader } from "./reader.ts";

/** The scores of runs, of traces or of sessions. */
export interface RunScores<S extends Score> {
  /** The scores of a run as their index has them, newest first; the index may lag writes. */
  indexed(project: string, run: string): AsyncIterable<S>;
  /** Scores by id, strongly read; those that are not there are left out. */
  read(project: string, ids: readonly string[]): Promise<readonly S[]>;
  /** The same, with what is known of their targets now. */
  marked(project: string, ids: readonly string[]): Promise<readonly Marked<S>[]>;
}

export const runScores = <S extends Score>(
  database: Database,
  kind: ScoreKind<S>,
  now: () => number = Date.now,
): RunScores<S> => {
  const { read } = scoreReader(database, kind, now);
  const marks = scoreMarks(database, kind, now);

  return {
    indexed: async function* (project, run) {
      const pages = paginateQuery(
        { client: database.client },
        {
          TableName: database.table("scores"),
          IndexName: "by-run",
          KeyConditionExpression: "run_key = :run",
          ExpressionAttributeValues: { ":run": runScoresPartition(project, run) },
          ScanIndexForward: false,
        },
      );
      for await (const page of pages) {
        for (const item of page.Items ?? []) {
          // A run of sessions also has scores of their traces.
          if (targetOfKey(String(item["pk"])) === kind.target && isLive(item, now())) yield kind.unpack(item["d"]);
        }
      }
    },

    read,
    marked: async (project, ids) => marks.all(project, await read(project, ids)),
  };
};
