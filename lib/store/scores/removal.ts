import { paginateQuery, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../database.ts";
import { unpackScore } from "./codec.ts";
import { copyPartition, idOfOrder, runScoresPartition, scoreKey, sessionScoreKey, targetOfKey } from "./keys.ts";
import { deletePairs, type ScorePair } from "./pairs.ts";

/** Removes scores in the background. Every method may be repeated and goes on where an earlier call ended. */
export interface ScoreRemoval {
  /** The scores of one incarnation of a trace; those of a trace that was sent again under the same id stay. */
  removeScoresOfTrace(project: string, trace: string, incarnation: string): Promise<void>;
  /** The scores of a session that were made not after `before`. */
  removeScoresOfSession(project: string, session: string, before: Instant): Promise<void>;
  /**
   * The scores of a run that its index tells of, edited ones included, for as long as there is time. The index may lag writes:
   * once more, later than any lag, finds the rest.
   *
   * @param until epoch milliseconds after which no more are begun.
   * @returns how many there were; 0 says that the index tells of none.
   */
  removeScoresOfRun(project: string, run: string, until: number): Promise<number>;
}

const copyItem = v.object({ pk: v.string(), sk: v.string() });
const scoreItem = v.object({ pk: v.string(), order_key: v.string(), d: v.instance(Uint8Array) });

/** Scores of a run in one page: what one transaction deletes. */
const runPageSize = 50;

export const scoreRemoval = (database: Database, now: () => number = Date.now): ScoreRemoval => {
  const { client, table } = database;

  const pages = async function* (query: Omit<QueryCommandInput, "TableName">) {
    for await (const { Items } of paginateQuery({ client }, { TableName: table("scores"), ...query })) {
      yield Items ?? [];
    }
  };

  return {
    removeScoresOfTrace: async (project, trace, incarnation) => {
      const copies = pages({
        KeyConditionExpression: "pk = :pk",
        FilterExpression: "i = :i",
        ProjectionExpression: "pk, sk",
        ExpressionAttributeValues: { ":pk": copyPartition("trace", project, trace), ":i": incarnation },
        ConsistentRead: true,
      });
      for await (const items of copies) {
        const pairs = items.map((item): ScorePair => {
          const copy = v.parse(copyItem, item);
          return { copy, score: scoreKey(project, idOfOrder(copy.sk)) };
        });
        // The same score made again for the trace's next incarnation has the same id.
        await deletePairs(database, pairs, {
          ConditionExpression: "attribute_not_exists(pk) OR i = :i",
          ExpressionAttributeValues: { ":i": incarnation },
        });
      }
    },

    removeScoresOfSession: async (project, session, before) => {
      const copies = pages({
        KeyConditionExpression: "pk = :pk AND sk < :end",
        ProjectionExpression: "pk, sk",
        // "$" comes after the "#" that ends the instant.
        ExpressionAttributeValues: { ":pk": copyPartition("session", project, session), ":end": `${before}$` },
        ConsistentRead: true,
      });
      for await (const items of copies) {
        const pairs = items.map((item): ScorePair => {
          const copy = v.parse(copyItem, item);
          return { copy, score: sessionScoreKey(project, idOfOrder(copy.sk)) };
        });
        await deletePairs(database, pairs);
      }
    },

    removeScoresOfRun: async (project, run, until) => {
      let found = 0;
      const scores = pages({
        IndexName: "by-run",
        KeyConditionExpression: "run_key = :run",
        ProjectionExpression: "pk, order_key, d",
        ExpressionAttributeValues: { ":run": runScoresPartition(project, run) },
        Limit: runPageSize,
      });
      for await (const items of scores) {
        const pairs = items.map((item): ScorePair => {
          const { pk, order_key, d } = v.parse(scoreItem, item);
          const target = targetOfKey(pk);
          // The target's id lies at the same place in both kinds.
          const copy = { pk: copyPartition(target, project, unpackScore(d).trace_id), sk: order_key };
          return { copy, score: { pk, sk: "score" } };
        });
        await deletePairs(database, pairs);
        found += pairs.length;
        if (now() >= until) break;
      }
      return found;
    },
  };
};
