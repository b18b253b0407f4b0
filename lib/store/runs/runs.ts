import { GetCommand, paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { instantAt } from "../../domain/instant.ts";
import { addUsage, noUsage } from "../../domain/runs/judge-usage.ts";
import { addCounts, isTerminal, noCounts, type Run } from "../../domain/runs/run.ts";
import { outcomeOf } from "../../domain/runs/outcome.ts";
import { countSlice } from "../../domain/runs/slice.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { ifConditionHolds } from "../failure.ts";
import { unpackRun, type StoredRun } from "./codec.ts";
import { runKey, runPartition, sliceId, sliceKey } from "./keys.ts";
import { unpackSlice, type StoredSlice } from "./slice-codec.ts";

export interface Runs {
  /** A run as storage has it, CREATING ones included; null when there is none, or it was deleted. */
  read(project: string, run: string): Promise<StoredRun | null>;
  /** The same and one of its slices, strongly read in one request; each null when there is none. */
  readWith(
    project: string,
    run: string,
    slice: string,
  ): Promise<{ readonly stored: StoredRun | null; readonly slice: StoredSlice | null }>;
  /** A run with its live counters; null when there is none. */
  get(project: string, run: string): Promise<Run | null>;
  /** The run with the counts of its slices, as far as they are now. */
  withLiveCounts(stored: StoredRun): Promise<Run>;
  /** The slices of a run in order, or those of some numbers, strongly read. */
  slices(
    project: string,
    run: string,
    attempt: string,
    numbers?: readonly [first: number, last: number],
  ): Promise<readonly StoredSlice[]>;
  /** Tells that a worker has begun. */
  begin(project: string, run: string): Promise<void>;
  /** Ends a run that has no slices. */
  endEmpty(stored: StoredRun): Promise<void>;
}

export const runStore = (database: Database, now: () => number = Date.now): Runs => {
  const { client, table } = database;
  const TableName = table("runs");

  const visible = (item: Record<string, unknown> | undefined): StoredRun | null => {
    const stored = item === undefined ? null : unpackRun(item);
    return stored?.deleted === null ? stored : null;
  };

  const read = async (project: string, run: string): Promise<StoredRun | null> => {
    const { Item } = await client.send(new GetCommand({ TableName, Key: runKey(project, run), ConsistentRead: true }));
    return visible(Item);
  };

  const slices: Runs["slices"] = async (project, run, attempt, [first, last] = [0, 9999]) => {
    const found: StoredSlice[] = [];
    const pages = paginateQuery(
      { client },
      {
        TableName,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :last",
        ExpressionAttributeValues: {
          ":pk": runPartition(project, run),
          ":first": sliceKey(project, run, sliceId(attempt, first)).sk,
          ":last": sliceKey(project, run, sliceId(attempt, last)).sk,
        },
        ConsistentRead: true,
      },
    );
    for await (const page of pages) found.push(...(page.Items ?? []).map(unpackSlice));
    return found;
  };

  const withLiveCounts = async ({ run, attempt }: StoredRun): Promise<Run> => {
    if (isTerminal(run.status)) return run;
    const { projectId, id, metrics } = run.order;
    const found = await slices(projectId, id, attempt);
    return {
      ...run,
      ...found.map(({ slice }) => countSlice(slice, metrics.length)).reduce(addCounts, noCounts),
      usage: found.map(({ slice }) => slice.usage).reduce(addUsage, noUsage),
      waitingFor: found.find(({ waiting }) => waiting !== null)?.waiting ?? null,
    };
  };

  return {
    read,
    slices,

    readWith: async (project, run, slice) => {
      const items = await batchGet(database, "runs", [runKey(project, run), sliceKey(project, run, slice)]);
      const other = items.find(({ sk }) => sk !== "run");
      return {
        stored: visible(items.find(({ sk }) => sk === "run")),
        slice: other === undefined ? null : unpackSlice(other),
      };
    },

    withLiveCounts,

    get: async (project, id) => {
      const stored = await read(project, id);
      return stored === null || stored.creating ? null : await withLiveCounts(stored);
    },

    begin: async (project, run) => {
      // Refused: another worker was first, or the run has ended.
      await ifConditionHolds(
        client.send(
          new UpdateCommand({
            TableName,
            Key: runKey(project, run),
            UpdateExpression: "SET #status = :running",
            ConditionExpression: "#status = :pending",
            ExpressionAttributeNames: { "#status": "status" },
            ExpressionAttributeValues: { ":running": "RUNNING", ":pending": "PENDING" },
          }),
        ),
      );
    },

    endEmpty: async ({ run, slices: count }) => {
      const { order } = run;
      if (count > 0) throw new Error("A run with slices ends with its last slice.");
      const outcome = outcomeOf(order, noCounts, null);
      await ifConditionHolds(
        client.send(
          new UpdateCommand({
            TableName,
            Key: runKey(order.projectId, order.id),
            UpdateExpression: "SET #status = :status, completed_at = :at, error_message = :message REMOVE open_key",
            ConditionExpression: "#status = :pending",
            ExpressionAttributeNames: { "#status": "status" },
            ExpressionAttributeValues: {
              ":status": outcome.status,
              ":pending": "PENDING",
              ":at": instantAt(now()),
              ":message": outcome.errorMessage,
            },
          }),
        ),
      );
    },
  };
};
