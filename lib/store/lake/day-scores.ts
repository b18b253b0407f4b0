import * as v from "valibot";
import { mapConcurrently } from "../../async/concurrency.ts";
import type { Instant } from "../../domain/instant.ts";
import type { TraceScore } from "../../domain/scores/score.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf, queryInput } from "../../dynamo/items.ts";
import { rawQuery, type RawPage } from "../../dynamo/raw-query.ts";
import { unpackScore } from "../scores/codec.ts";
import { allSources, targetQuery } from "../scores/query.ts";

const item = v.object({ d: v.instance(Uint8Array), i: v.optional(v.string()) });

/** Attributes of an item that are read. */
const attributes = "d, i";

/** A score and the incarnation of its trace. */
interface ScoreOfIncarnation {
  readonly score: TraceScore;
  readonly incarnation: string | null;
}

const scoreOf = (value: unknown): ScoreOfIncarnation => {
  const { d, i } = v.parse(item, value);
  return { score: unpackScore(d), incarnation: i ?? null };
};

/** Traces whose scores are read at the same time. */
const parallel = 20;

/** Reads the scores of a day's traces for the lake. */
export const dayScores = (database: Database, now: () => number = Date.now) => {
  const scores = itemsOf(database, "scores");
  return {
    /** Visits all scores of a project's traces that were created from an instant on; they may lag writes by seconds. */
    since: async (project: string, from: Instant, visit: (score: ScoreOfIncarnation) => void): Promise<void> => {
      const sources = allSources("trace", project, { date_from: from }, now());
      await mapConcurrently(sources, sources.length, async (source) => {
        let next: RawPage["next"];
        do {
          const input = queryInput({ ...source, attributes, strongly: false });
          const request = { TableName: database.table("scores"), ...input, ExclusiveStartKey: next };
          const page = await rawQuery(database, request);
          for (const { d, i } of page.items)
            if (d?.B !== undefined)
              visit({ score: unpackScore(Buffer.from(d.B, "base64")), incarnation: i?.S ?? null });
          next = page.next;
        } while (next !== undefined);
      });
    },

    /** Visits the scores of traces, strongly consistent. @param traces incarnations of the traces by id. */
    of: async (
      project: string,
      traces: ReadonlyMap<string, string>,
      visit: (score: ScoreOfIncarnation) => void,
    ): Promise<void> => {
      await mapConcurrently(traces, parallel, async ([trace, incarnation]) => {
        const query = targetQuery("trace", project, { target_id: trace, incarnation }, now());
        if (query === null) return;
        for await (const value of scores.query({ ...query, attributes })) visit(scoreOf(value));
      });
    },
  };
};
