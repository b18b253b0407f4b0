import * as v from "valibot";
import { targetTypes } from "../../domain/runs/run.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import type { CountedList } from "../totals/facet-check.ts";
import { runCountsPartition } from "../totals/facets.ts";
import { countedScoreList } from "../scores/counted-list.ts";
import { countedRun } from "./counts.ts";
import { runListPartition } from "./keys.ts";

const entry = v.object({ list_key: v.string(), monitor_key: v.optional(v.string()), status: v.string() });

/** Runs of a project that its counters include, of both target types. */
const countedRuns = (database: Database): CountedList => ({
  name: "runs",
  partition: runCountsPartition,
  pages: async function* (project) {
    for (const type of targetTypes) {
      const pages = itemsOf(database, "runs").pages({
        index: "by-created",
        where: "list_key = :list",
        values: { ":list": runListPartition(project, type) },
        attributes: "list_key, monitor_key, #status",
      });
      for await (const { items } of pages) {
        yield items.flatMap((item) => {
          const { list_key: list, monitor_key: monitor, status } = v.parse(entry, item);
          return countedRun({ list, monitor, status }) ?? [];
        });
      }
    }
  },
});

/** Returns all lists with facet counters. */
export const countedLists = (database: Database): readonly CountedList[] => [
  countedRuns(database),
  countedScoreList(database, "trace"),
  countedScoreList(database, "session"),
];
