import { instantAt } from "../../domain/instant.ts";
import { addUsage, noUsage, addCounts, isTerminal, noCounts, type Run, outcomeOf } from "../../domain/runs/run.ts";
import { countsOfSlice } from "../../domain/runs/slice.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf, type Item } from "../../dynamo/items.ts";
import { unpackRun, type StoredRun } from "./codec.ts";
import { runKey, runPartition, sliceId, sliceKey } from "./keys.ts";
import { unpackSlice, type StoredSlice } from "./slice-codec.ts";

/** Reader of runs and their slices. */
export interface Runs {
  /** Reads a run as stored, uncommitted ones included; null when it does not exist or is deleted. */
  read(project: string, run: string): Promise<StoredRun | null>;
  /**
   * Reads a run and one of its slices in one request, strongly consistent; null for the run or slice that does not
   * exist.
   */
  readWith(
    project: string,
    run: string,
    slice: string,
  ): Promise<{ readonly storedRun: StoredRun | null; readonly slice: StoredSlice | null }>;
  /** Reads a run with its live counters; null when it does not exist. */
  get(project: string, run: string): Promise<Run | null>;
  /** Adds the current counts of a run's slices to the run. */
  withLiveCounts(storedRun: StoredRun): Promise<Run>;
  /** Reads the slices of a run in order, or a range of slice numbers, strongly consistent. */
  slices(
    project: string,
    run: string,
    attempt: string,
    numbers?: readonly [first: number, last: number],
  ): Promise<readonly StoredSlice[]>;
  /** Marks a run as running, when its first worker begins. */
  begin(project: string, run: string): Promise<void>;
  /** Ends a run that has no slices. */
  endEmpty(storedRun: StoredRun): Promise<void>;
}

export const runStore = (database: Database, now: () => number = Date.now): Runs => {
  const runs = itemsOf(database, "runs");

  const parseVisible = (item: Item | undefined): StoredRun | null => {
    const storedRun = item === undefined ? null : unpackRun(item);
    return storedRun?.deletion === null ? storedRun : null;
  };

  const read = async (project: string, run: string): Promise<StoredRun | null> =>
    parseVisible(await runs.get(runKey(project, run)));

  const slices: Runs["slices"] = async (project, run, attempt, [first, last] = [0, 9999]) => {
    const sort = (number: number) => sliceKey(project, run, sliceId(attempt, number)).sk;
    const items = await runs.list({ pk: runPartition(project, run), between: [sort(first), sort(last)] });
    return items.map(unpackSlice);
  };

  const withLiveCounts = async ({ run, attempt }: StoredRun): Promise<Run> => {
    if (isTerminal(run.status)) return run;
    const { projectId, id, metrics } = run.order;
    const currentSlices = await slices(projectId, id, attempt);
    return {
      ...run,
      ...currentSlices.map(({ slice }) => countsOfSlice(slice, metrics.length)).reduce(addCounts, noCounts),
      usage: currentSlices.map(({ slice }) => slice.usage).reduce(addUsage, noUsage),
      waitingFor: currentSlices.find(({ waiting }) => waiting !== null)?.waiting ?? null,
    };
  };

  return {
    read,
    slices,

    readWith: async (project, run, slice) => {
      const items = await batchGet(database, "runs", [runKey(project, run), sliceKey(project, run, slice)]);
      const sliceItem = items.find(({ sk }) => sk !== "run");
      return {
        storedRun: parseVisible(items.find(({ sk }) => sk === "run")),
        slice: sliceItem === undefined ? null : unpackSlice(sliceItem),
      };
    },

    withLiveCounts,

    get: async (project, id) => {
      const storedRun = await read(project, id);
      return storedRun === null || storedRun.isCreating ? null : await withLiveCounts(storedRun);
    },

    begin: async (project, run) => {
      // The condition fails when another worker was first or the run has ended.
      await ifConditionHolds(
        runs.update(runKey(project, run), "SET #status = :running", {
          when: "#status = :pending",
          values: { ":running": "RUNNING", ":pending": "PENDING" },
        }),
      );
    },

    endEmpty: async ({ run, slices: count }) => {
      const { order } = run;
      if (count > 0) throw new Error("A run with slices ends with its last slice.");
      const outcome = outcomeOf(order, noCounts, null);
      await ifConditionHolds(
        runs.update(
          runKey(order.projectId, order.id),
          "SET #status = :status, completed_at = :at, error_message = :message REMOVE open_key",
          {
            when: "#status = :pending",
            values: {
              ":status": outcome.status,
              ":pending": "PENDING",
              ":at": instantAt(now()),
              ":message": outcome.errorMessage,
            },
          },
        ),
      );
    },
  };
};
