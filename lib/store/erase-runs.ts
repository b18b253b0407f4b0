import { targetTypes } from "../domain/run.ts";
import type { Database } from "./database.ts";
import { erasePartition, keyPages, type Erase } from "./erase-items.ts";
import { runListPartition } from "./run-keys.ts";
import { eraseBudget } from "./erase-spend.ts";

/** A project's runs with their slices and what is noted of their cost, by the index of lists. */
export const eraseRuns = (database: Database): Erase =>
  async function* (project) {
    for (const targetType of targetTypes) {
      const index = { name: "by-created", key: "list_key" };
      for await (const runs of keyPages(database, "runs", runListPartition(project, targetType), index)) {
        for (const { pk } of runs) {
          yield await eraseBudget(database, String(pk));
          yield* erasePartition(database, "spend", pk);
          yield* erasePartition(database, "runs", pk, "run");
        }
      }
    }
  };
