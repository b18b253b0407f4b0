import { recordedCost } from "../../domain/runs/run.ts";
import { withRetries, throwContention } from "../../dynamo/with-retries.ts";
import type { Database } from "../../dynamo/database.ts";
import { failedConditions, ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";
import { countCost } from "./count-cost.ts";
import { deletedStatus, unpackRun, type StoredRun } from "./codec.ts";
import { deletedPartition, deletedRunsPartition, runKey, sliceKey } from "./keys.ts";
import { runsOfIndex } from "./runs-of-index.ts";
import type { Runs } from "./runs.ts";
import { deleteSlices, sliceKeys } from "./slice-removal.ts";

/** Slice updates in parallel. */
const maxParallelWrites = 16;

/**
 * Seconds (7 days) that the tombstone of a deleted run is stored: a repeated creation with the same key must not
 * create the run again.
 */
const tombstoneSeconds = 7 * 86_400;

/** Deletes runs in steps: hides them at once, removes their data later. */
export interface RunDeletion {
  /**
   * Hides a run and revokes the leases of its open slices: no worker can write for the run after this call.
   *
   * @param withScores true if the run's scores are deleted too.
   * @returns false when the run was already deleted.
   */
  remove(storedRun: StoredRun, withScores: boolean): Promise<boolean>;
  /** Reads a deleted run; null when the run does not exist or is not deleted. */
  find(project: string, run: string): Promise<StoredRun | null>;
  /** Revokes the leases of a run's open slices permanently, so that no worker can claim them again. */
  voidSlices(storedRun: StoredRun): Promise<void>;
  /**
   * Reads the committed cost of each finished slice, US dollars by slice id, without what dead workers forfeited.
   */
  costs(storedRun: StoredRun): Promise<ReadonlyMap<string, number>>;
  /**
   * Deletes the slices of a deleted run whose cost is not wholly in the month's totals, with the writes that add it: the slices that had a
   * worker when the run was deleted.
   *
   * @param isErased true if the project is being erased.
   */
  countOpenSlices(storedRun: StoredRun, isErased?: boolean): Promise<void>;
  /** Deletes the slices of a deleted run, counts their cost, and leaves a tombstone, which expires. */
  leaveTombstone(storedRun: StoredRun): Promise<void>;
  /**
   * Lists the deleted runs without a tombstone; a run that just got its tombstone can be included.
   *
   * @param after `position` of the run after which the list starts; the runs up to it come last.
   */
  list(after: string | null): AsyncIterable<DeletedRun>;
}

/** A deleted run that still has data. */
export interface DeletedRun {
  readonly project: string;
  readonly run: string;
  /** Sort key of the run in the list of deleted runs. */
  readonly position: string;
}

/** Retries a write that conflicts with workers' transactions. @returns false when its condition failed. */
const retryOnContention = (write: () => Promise<unknown>): Promise<boolean> =>
  withRetries(
    requestRetryPolicy,
    throwContention("Workers changed the run during every attempt to delete it."),
    async () => {
      const reply = await ifConditionHolds(write());
      return reply !== null;
    },
  );

export const runDeletion = (
  database: Database,
  runs: Pick<Runs, "slices">,
  now: () => number = Date.now,
): RunDeletion => {
  const items = itemsOf(database, "runs");

  const voidSlice = (project: string, run: string, slice: string) =>
    retryOnContention(() =>
      items.update(sliceKey(project, run, slice), "SET #state = :void, epoch = epoch + :one", {
        when: "#state = :open",
        values: { ":void": "void", ":open": "open", ":one": 1 },
      }),
    );

  const voidSlices: RunDeletion["voidSlices"] = async ({ run: { order }, attempt }) => {
    const openSlices = (await runs.slices(order.projectId, order.id, attempt)).filter(
      ({ slice }) => slice.state === "open",
    );
    for (let start = 0; start < openSlices.length; start += maxParallelWrites) {
      await Promise.all(
        openSlices
          .slice(start, start + maxParallelWrites)
          .map(({ slice }) => voidSlice(order.projectId, order.id, slice.id)),
      );
    }
  };

  const countOpenSlices: RunDeletion["countOpenSlices"] = async (storedRun, isErased) => {
    const { projectId, id } = storedRun.run.order;
    for (const storedSlice of await runs.slices(projectId, id, storedRun.attempt)) {
      const costOf = () => countCost(storedRun, storedSlice, storedSlice.slice.usage, now(), isErased).writes;
      if (costOf().length === 0) continue;
      const remove = sliceKey(projectId, id, storedSlice.slice.id);
      const contention = throwContention("The month's totals changed during every attempt to count a slice.");
      // The condition fails when another purge was faster.
      await withRetries(requestRetryPolicy, contention, () =>
        failedConditions(items.transact([{ remove, when: "attribute_exists(pk)" }, ...costOf()])),
      );
    }
  };

  return {
    voidSlices,
    countOpenSlices,

    remove: async (storedRun, withScores) => {
      const { projectId, id } = storedRun.run.order;
      const isHidden = await retryOnContention(() =>
        items.update(
          runKey(projectId, id),
          "SET #status = :deleted, deleted_at = :at, delete_scores = :scores, open_key = :open, list_key = :list REMOVE monitor_key",
          {
            when: "attempt = :attempt AND #status <> :deleted",
            values: {
              ":deleted": deletedStatus,
              ":at": now(),
              ":scores": withScores,
              ":open": deletedPartition,
              ":list": deletedRunsPartition(projectId),
              ":attempt": storedRun.attempt,
            },
          },
        ),
      );
      if (isHidden) await voidSlices(storedRun);
      return isHidden;
    },

    costs: async ({ run: { order }, attempt }) => {
      const slices = await runs.slices(order.projectId, order.id, attempt);
      const finishedSlices = slices.filter(({ slice }) => slice.state === "done");
      return new Map(finishedSlices.map(({ slice }) => [slice.id, recordedCost(slice.usage)]));
    },

    find: async (project, run) => {
      const item = await items.get(runKey(project, run));
      const storedRun = item === undefined ? null : unpackRun(item);
      return storedRun?.deletion === null ? null : storedRun;
    },

    leaveTombstone: async (storedRun) => {
      const { projectId, id } = storedRun.run.order;
      await countOpenSlices(storedRun);
      await deleteSlices(database, await sliceKeys(database, projectId, id));
      await retryOnContention(() =>
        items.update(runKey(projectId, id), "SET #ttl = :ttl REMOVE open_key", {
          when: "#status = :deleted",
          values: { ":deleted": deletedStatus, ":ttl": Math.floor(now() / 1000) + tombstoneSeconds },
        }),
      );
    },

    list: async function* (after) {
      for await (const { project, run, item } of runsOfIndex(database, "open", deletedPartition, after))
        yield { project, run, position: String(item["order_key"]) };
    },
  };
};
