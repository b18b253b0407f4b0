import { BatchGetCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { setTimeout as wait } from "node:timers/promises";
import type { TraceScore } from "../domain/score.ts";
import type { Database } from "./database.ts";
import { runScoresPartition, scoreKey, unpackScore } from "./score-codec.ts";

/** DynamoDB's limit of one batch of reads. */
const batchSize = 100;

export interface RunScores {
  /** The scores of a run as their index has them, newest first; the index may lag writes. */
  indexed(project: string, run: string): AsyncIterable<TraceScore>;
  /** Scores by id, strongly read; those that are not there are left out. */
  read(project: string, ids: readonly string[]): Promise<readonly TraceScore[]>;
}

export const runScores = ({ client, table }: Database, now: () => number = Date.now): RunScores => {
  const live = (item: Record<string, unknown>): boolean =>
    typeof item["ttl"] !== "number" || item["ttl"] * 1000 > now();

  return {
    indexed: async function* (project, run) {
      const pages = paginateQuery(
        { client },
        {
          TableName: table("scores"),
          IndexName: "by-run",
          KeyConditionExpression: "run_key = :run",
          ExpressionAttributeValues: { ":run": runScoresPartition(project, run) },
          ScanIndexForward: false,
        },
      );
      for await (const page of pages) {
        for (const item of page.Items ?? []) if (live(item)) yield unpackScore(item["d"]);
      }
    },

    read: async (project, ids) => {
      const scores: TraceScore[] = [];
      for (let start = 0; start < ids.length; start += batchSize) {
        let Keys: Record<string, unknown>[] = ids.slice(start, start + batchSize).map((id) => scoreKey(project, id));
        for (let pause = 20; Keys.length > 0; pause = Math.min(pause * 2, 1000)) {
          const { Responses, UnprocessedKeys } = await client.send(
            new BatchGetCommand({ RequestItems: { [table("scores")]: { Keys, ConsistentRead: true } } }),
          );
          scores.push(...(Responses?.[table("scores")] ?? []).filter(live).map((item) => unpackScore(item["d"])));
          Keys = UnprocessedKeys?.[table("scores")]?.Keys ?? [];
          if (Keys.length > 0) await wait(Math.random() * pause);
        }
      }
      return scores;
    },
  };
};
