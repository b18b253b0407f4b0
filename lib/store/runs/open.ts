import { epochOf } from "../../domain/instant.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { creatingStatus, unpackRun, type StoredRun } from "./codec.ts";
import { createdAtOfOrder, openPartition, runKey } from "./keys.ts";
import { runsOfIndex } from "./runs-of-index.ts";
import { deleteSlices, sliceKeys } from "./slice-removal.ts";
import { shortId } from "../traces/writer.ts";

/** A run that has not ended, and its creation time in epoch milliseconds. */
interface OpenRun {
  readonly project: string;
  readonly run: string;
  readonly createdAt: number;
}

/** Runs that have not ended. */
export interface OpenRuns {
  /** Lists all runs that have not ended, oldest first; a run that just ended can be included. */
  list(): AsyncIterable<OpenRun>;
  /** Deletes a run whose creation was aborted. @returns false when the creation was committed meanwhile. */
  removeUncommitted(storedRun: StoredRun): Promise<boolean>;
}

export const openRunStore = (database: Database): OpenRuns => {
  const runs = itemsOf(database, "runs");
  return {
    list: async function* () {
      for await (const { project, run, item } of runsOfIndex(database, "open", openPartition))
        yield { project, run, createdAt: epochOf(createdAtOfOrder(String(item["order_key"]))) };
    },

    removeUncommitted: async ({ run: { order }, attempt }) => {
      const { projectId, id } = order;
      const abortedSlices = await sliceKeys(database, projectId, id);
      const blockingAttempt = shortId();
      // From here on the creation attempt that stored these slices cannot commit; a repeated request stores its own
      // slices.
      const isBlocked = await succeeds(
        runs.update(runKey(projectId, id), "SET attempt = :fence", {
          when: "#status = :creating AND attempt = :attempt",
          values: { ":creating": creatingStatus, ":attempt": attempt, ":fence": blockingAttempt },
        }),
      );
      if (!isBlocked) return false;
      await deleteSlices(database, abortedSlices);
      // The run is deleted last, because it identifies the slices.
      const isUnchanged = { when: "attempt = :fence", values: { ":fence": blockingAttempt } };
      await succeeds(runs.remove(runKey(projectId, id), isUnchanged));
      return true;
    },
  };
};

/** Most open runs of a project that are read, at half a read unit or more each. */
const maxRead = 500;

/**
 * Returns the function that reads the newest runs of a project that have not ended, of both target types; may lag writes by seconds. Their keys
 * are sought on one page of those of all projects, some 7,000 runs.
 */
export const openRunsOfProject =
  (database: Database) =>
  async (project: string): Promise<readonly StoredRun[]> => {
    const { items: keys } = await itemsOf(database, "runs").page({
      index: "open",
      where: "open_key = :open",
      filter: "begins_with(pk, :project)",
      values: { ":open": openPartition, ":project": `${project}#` },
      descending: true,
    });
    const newest = keys.slice(0, maxRead).map(({ pk, sk }) => ({ pk, sk }));
    return (await batchGet(database, "runs", newest, { strongly: false })).map(unpackRun);
  };
