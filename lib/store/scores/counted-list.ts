import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { scoreDataTypes, scoreSources, scoreStatuses } from "../../domain/scores/score.ts";
import type { Database } from "../../dynamo/database.ts";
import type { CountedList } from "../totals/facet-check.ts";
import { countedScore, scoreCountsPartition } from "./counts.ts";
import { listPartitions, type ScoreTarget } from "./keys.ts";

const entry = v.object({
  pk: v.string(),
  n: v.string(),
  st: v.picklist(scoreStatuses),
  so: v.picklist(scoreSources),
  dt: v.picklist(scoreDataTypes),
  order_key: v.string(),
  run_key: v.optional(v.string()),
  ttl: v.optional(v.number()),
});

/** Scores of a project that its counters include, of one kind. */
export const countedScores = ({ client, table }: Database, target: ScoreTarget): CountedList => ({
  name: `${target}-scores`,
  partition: (project) => scoreCountsPartition(target, project),
  pages: async function* (project) {
    for (const partition of listPartitions(target, project)) {
      const pages = paginateQuery(
        { client },
        {
          TableName: table("scores"),
          IndexName: "by-time",
          KeyConditionExpression: "time_key = :list",
          ProjectionExpression: "pk, n, st, so, dt, order_key, run_key, #ttl",
          ExpressionAttributeNames: { "#ttl": "ttl" },
          ExpressionAttributeValues: { ":list": partition },
        },
      );
      for await (const { Items = [] } of pages) {
        yield Items.map((item) => {
          const { pk, n: name, st: status, so: source, dt, order_key: order, run_key, ttl } = v.parse(entry, item);
          return countedScore({ pk, name, status, source, data_type: dt, order, run: run_key, ttl });
        });
      }
    }
  },
});
