import * as v from "valibot";
import { scoreDataTypes, scoreSources, scoreStatuses } from "../../domain/scores/score.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
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
export const countedScoreList = (database: Database, target: ScoreTarget): CountedList => ({
  name: `${target}-scores`,
  partition: (project) => scoreCountsPartition(target, project),
  pages: async function* (project) {
    for (const partition of listPartitions(target, project)) {
      const pages = itemsOf(database, "scores").pages({
        index: "by-time",
        where: "time_key = :list",
        values: { ":list": partition },
        attributes: "pk, n, st, so, dt, order_key, run_key, #ttl",
      });
      for await (const { items } of pages) {
        yield items.map((item) => {
          const { pk, n: name, st: status, so: source, dt, order_key: order, run_key, ttl } = v.parse(entry, item);
          return countedScore({ pk, name, status, source, data_type: dt, order, run: run_key, ttl });
        });
      }
    }
  },
});
