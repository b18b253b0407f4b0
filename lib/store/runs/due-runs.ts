import { epochOf, instantAt } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { dueKey, dueChecksPartition } from "./keys.ts";
import { runsOfIndex } from "./runs-of-index.ts";

/** A run and the time of its next check by the sweeper (the scheduled maintenance function), epoch milliseconds. */
interface DueRun {
  readonly project: string;
  readonly run: string;
  readonly at: number;
}

/**
 * Times at which the sweeper (the scheduled maintenance function) must check runs. Each is an item beside its run, so
 * that writing it changes neither the run's counters nor the indexes and stream of runs.
 */
export interface DueRuns {
  /** Lists all scheduled checks, earliest first; eventually consistent. */
  list(): AsyncIterable<DueRun>;
  schedule(due: DueRun): Promise<void>;
  unschedule(due: Pick<DueRun, "project" | "run">): Promise<void>;
}

export const dueRunStore = (database: Database): DueRuns => {
  const runs = itemsOf(database, "runs");
  return {
    list: async function* () {
      for await (const { project, run, item } of runsOfIndex(database, "due", dueChecksPartition))
        yield { project, run, at: epochOf(String(item["due_at"])) };
    },

    schedule: async ({ project, run, at }) => {
      await runs.update(dueKey(project, run), "SET kind = :kind, due_key = :due, due_at = :at", {
        values: { ":kind": "due", ":due": dueChecksPartition, ":at": instantAt(at) },
      });
    },

    unschedule: async ({ project, run }) => {
      await runs.remove(dueKey(project, run));
    },
  };
};
