import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { attempts, contended } from "../attempts.ts";
import type { Database } from "../database.ts";
import { ifConditionHolds } from "../failure.ts";
import * as patience from "../patience.ts";
import { deleted, unpackRun, type StoredRun } from "./codec.ts";
import { deletedPartition, deletedRunsPartition, runKey, sliceKey } from "./keys.ts";
import { runsOfIndex } from "./runs-of-index.ts";
import type { Runs } from "./runs.ts";
import { deleteSlices, sliceKeys } from "./slice-removal.ts";

/** Updates of slices at a time. */
const width = 16;

/** A tombstone is kept this long: a creation repeated with the same key must not bring its run back. */
const tombstoneSeconds = 7 * 86_400;

export interface RunDeletion {
  /**
   * Hides a run and takes its open slices from whoever holds them: nothing of it is written from the moment this returns.
   *
   * @param scores whether its scores go, too.
   * @returns false when another request deleted it before.
   */
  remove(stored: StoredRun, scores: boolean): Promise<boolean>;
  /** A run that was deleted; null when there is none of that id, or it is not deleted. */
  find(project: string, run: string): Promise<StoredRun | null>;
  /** Takes the open slices of a run from whoever holds them. */
  voidSlices(stored: StoredRun): Promise<void>;
  /** What has been committed of each slice, US dollars by its id: all that it has cost, once nobody works on it. */
  costs(stored: StoredRun): Promise<ReadonlyMap<string, number>>;
  /** Removes a deleted run's slices and leaves a tombstone, which expires. */
  bury(stored: StoredRun): Promise<void>;
  /**
   * Every deleted run that is not buried yet; one that has just been may still be among them.
   *
   * @param after the place of one in the list: those behind it come first.
   */
  list(after: string | null): AsyncIterable<DeletedRun>;
}

/** A deleted run of which something is left. */
export interface DeletedRun {
  readonly project: string;
  readonly run: string;
  /** In the list. */
  readonly place: string;
}

/** Makes a write again while it meets the transactions of workers. @returns false when its condition does not hold. */
const persistent = (write: () => Promise<unknown>): Promise<boolean> =>
  attempts(patience.request, contended("Workers were at a run at every attempt to delete it."), async () => {
    const reply = await ifConditionHolds(write());
    return reply !== null;
  });

export const runDeletion = (
  database: Database,
  runs: Pick<Runs, "slices">,
  now: () => number = Date.now,
): RunDeletion => {
  const { client, table } = database;
  const TableName = table("runs");

  const voidSlice = (project: string, run: string, slice: string) =>
    persistent(() =>
      client.send(
        new UpdateCommand({
          TableName,
          Key: sliceKey(project, run, slice),
          UpdateExpression: "SET #state = :void, epoch = epoch + :one",
          ConditionExpression: "#state = :open",
          ExpressionAttributeNames: { "#state": "state" },
          ExpressionAttributeValues: { ":void": "void", ":open": "open", ":one": 1 },
        }),
      ),
    );

  const voidSlices: RunDeletion["voidSlices"] = async ({ run: { order }, attempt }) => {
    const open = (await runs.slices(order.projectId, order.id, attempt)).filter(({ slice }) => slice.state === "open");
    for (let start = 0; start < open.length; start += width) {
      await Promise.all(
        open.slice(start, start + width).map(({ slice }) => voidSlice(order.projectId, order.id, slice.id)),
      );
    }
  };

  return {
    voidSlices,

    remove: async (stored, scores) => {
      const { projectId, id } = stored.run.order;
      const hidden = await persistent(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: runKey(projectId, id),
            UpdateExpression:
              "SET #status = :deleted, deleted_at = :at, delete_scores = :scores, open_key = :open, list_key = :list REMOVE monitor_key",
            ConditionExpression: "attempt = :attempt AND #status <> :deleted",
            ExpressionAttributeNames: { "#status": "status" },
            ExpressionAttributeValues: {
              ":deleted": deleted,
              ":at": now(),
              ":scores": scores,
              ":open": deletedPartition,
              ":list": deletedRunsPartition(projectId),
              ":attempt": stored.attempt,
            },
          }),
        ),
      );
      if (hidden) await voidSlices(stored);
      return hidden;
    },

    costs: async ({ run: { order }, attempt }) => {
      const slices = await runs.slices(order.projectId, order.id, attempt);
      return new Map(slices.map(({ slice }) => [slice.id, slice.usage.cost ?? 0]));
    },

    find: async (project, run) => {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: runKey(project, run), ConsistentRead: true }),
      );
      const stored = Item === undefined ? null : unpackRun(Item);
      return stored?.deleted === null ? null : stored;
    },

    bury: async (stored) => {
      const { projectId, id } = stored.run.order;
      await deleteSlices(database, await sliceKeys(database, projectId, id));
      await persistent(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: runKey(projectId, id),
            UpdateExpression: "SET #ttl = :ttl REMOVE open_key",
            ConditionExpression: "#status = :deleted",
            ExpressionAttributeNames: { "#status": "status", "#ttl": "ttl" },
            ExpressionAttributeValues: { ":deleted": deleted, ":ttl": Math.floor(now() / 1000) + tombstoneSeconds },
          }),
        ),
      );
    },

    list: async function* (after) {
      for await (const { project, run, item } of runsOfIndex(database, "open", deletedPartition, after))
        yield { project, run, place: String(item["order_key"]) };
    },
  };
};
