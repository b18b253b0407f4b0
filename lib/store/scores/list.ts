import { QueryCommand, paginateQuery, type QueryCommandOutput } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Score } from "../../domain/scores/score.ts";
import type { Database } from "../database.ts";
import { idOfOrder } from "./keys.ts";
import type { ScoreKind } from "./kind.ts";
import { scoreQuery, type ScoreFilter } from "./query.ts";
import { scoreReader } from "./reader.ts";

/** Scores of one kind in lists; those by trace or session are read strongly, the others from an index that may lag. */
export interface ScoreList<S extends Score> {
  /** A page, newest first, and how many match altogether: counted, not estimated. */
  page(project: string, filter: ScoreFilter, limit: number, offset: number): Promise<{ items: S[]; total: number }>;
  /** The matching scores of a trace or session, newest first. */
  ofTarget(project: string, filter: ScoreFilter & { readonly target_id: string }): AsyncIterable<S>;
}

const counted = v.object({ Count: v.number() });

export const scoreList = <S extends Score>(
  database: Database,
  kind: ScoreKind<S>,
  now: () => number = Date.now,
): ScoreList<S> => {
  const { client, table } = database;
  const TableName = table("scores");
  const reader = scoreReader(database, kind, now);

  return {
    page: async (project, filter, limit, offset) => {
      const found = scoreQuery(kind.target, project, filter, now());
      if (found === null) return { items: [], total: 0 };
      const { query, sort } = found;
      const wanted = offset + limit;
      const ids: string[] = [];
      let [total, start]: [number, Record<string, unknown> | undefined] = [0, undefined];
      do {
        // Once the page is there the rest is only counted: nothing of it is sent.
        const only = total < wanted ? { ProjectionExpression: sort } : { Select: "COUNT" as const };
        const page: QueryCommandOutput = await client.send(
          new QueryCommand({ TableName, ...query, ...only, ExclusiveStartKey: start }),
        );
        const first = Math.max(0, offset - total);
        for (const item of page.Items?.slice(first, first + limit - ids.length) ?? []) {
          ids.push(idOfOrder(v.parse(v.string(), item[sort])));
        }
        total += v.parse(counted, page).Count;
        start = page.LastEvaluatedKey;
      } while (start !== undefined);
      return { items: await reader.read(project, ids), total };
    },

    ofTarget: async function* (project, filter) {
      const found = scoreQuery(kind.target, project, filter, now());
      if (found === null) return;
      for await (const page of paginateQuery({ client }, { TableName, ...found.query })) {
        for (const item of page.Items ?? []) yield kind.unpack(item["d"]);
      }
    },
  };
};
