import * as v from "valibot";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { unpackScore } from "./codec.ts";
import { copyPartition, idOfOrder, runScoresPartition, scoreKey, sessionScoreKey, targetOfKey } from "./keys.ts";
import { deletePairs, type ScorePair } from "./pairs.ts";

/** Removes scores in the background. Every method can be repeated and continues where an earlier call ended. */
export interface ScoreRemoval {
  /** Removes the scores of one incarnation of a trace; scores of a later incarnation with the same trace id stay. */
  removeScoresOfTrace(project: string, trace: string, incarnation: string): Promise<void>;
  /** Removes the scores of a session that were created at or before `before`. @returns the number of removed scores. */
  removeScoresOfSession(project: string, session: string, before: Instant): Promise<number>;
  /**
   * Removes the scores of a run that its index contains, edited ones included, until the deadline. The index may lag
   * writes: a repetition after the lag finds the rest.
   *
   * @param until epoch milliseconds after which no further page is processed.
   * @returns the number of removed scores; 0 when the index contains none.
   */
  removeScoresOfRun(project: string, run: string, until: number): Promise<number>;
}

const copyItem = v.object({ pk: v.string(), sk: v.string() });
const scoreItem = v.object({ pk: v.string(), order_key: v.string(), d: v.instance(Uint8Array) });

/** Scores of a run per page: the pairs of one transaction. */
const runPageSize = 50;

export const scoreRemoval = (database: Database, now: () => number = Date.now): ScoreRemoval => {
  const { pages } = itemsOf(database, "scores");

  return {
    removeScoresOfTrace: async (project, trace, incarnation) => {
      const copies = pages({
        pk: copyPartition("trace", project, trace),
        filter: "i = :i",
        values: { ":i": incarnation },
        attributes: "pk, sk",
      });
      for await (const { items } of copies) {
        const pairs = items.map((item): ScorePair => {
          const copy = v.parse(copyItem, item);
          return { copy, score: scoreKey(project, idOfOrder(copy.sk)) };
        });
        // A score of the trace's next incarnation can have the same id, so the incarnation is checked.
        await deletePairs(database, pairs, {
          when: "attribute_not_exists(pk) OR i = :i",
          values: { ":i": incarnation },
        });
      }
    },

    removeScoresOfSession: async (project, session, before) => {
      let removed = 0;
      const copies = pages({
        where: "pk = :pk AND sk < :end",
        // "$" sorts after the "#" that ends the instant.
        values: { ":pk": copyPartition("session", project, session), ":end": `${before}$` },
        attributes: "pk, sk",
      });
      for await (const { items } of copies) {
        const pairs = items.map((item): ScorePair => {
          const copy = v.parse(copyItem, item);
          return { copy, score: sessionScoreKey(project, idOfOrder(copy.sk)) };
        });
        await deletePairs(database, pairs);
        removed += pairs.length;
      }
      return removed;
    },

    removeScoresOfRun: async (project, run, until) => {
      let removed = 0;
      const scores = pages({
        index: "by-run",
        where: "run_key = :run",
        values: { ":run": runScoresPartition(project, run) },
        attributes: "pk, order_key, d",
        limit: runPageSize,
      });
      for await (const { items } of scores) {
        const pairs = items.map((item): ScorePair => {
          const { pk, order_key, d } = v.parse(scoreItem, item);
          const target = targetOfKey(pk);
          // Packed scores of traces and of sessions have the target's id in the same field.
          const copy = { pk: copyPartition(target, project, unpackScore(d).trace_id), sk: order_key };
          return { copy, score: { pk, sk: "score" } };
        });
        await deletePairs(database, pairs);
        removed += pairs.length;
        if (now() >= until) break;
      }
      return removed;
    },
  };
};
