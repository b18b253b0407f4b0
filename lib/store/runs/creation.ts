import { GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { noUsage } from "../../domain/runs/judge-usage.ts";
import { Refusal } from "../../domain/refusal.ts";
import { keptHash, unrepeated, type Repeat } from "../../domain/repeat.ts";
import { newRun } from "../../domain/runs/new-run.ts";
import { noCounts, type Run, type RunOrder, type RunTarget } from "../../domain/runs/run.ts";
import { cutSlices } from "../../domain/runs/slice.ts";
import { again, attempts } from "../attempts.ts";
import { batchWrite } from "../batch-write.ts";
import type { Database } from "../database.ts";
import { ifConditionHolds } from "../failure.ts";
import * as patience from "../patience.ts";
import { creating, packOrder, unpackRun, type StoredRun } from "./codec.ts";
import { monitorRunsPartition, openPartition, runKey, runListPartition, runOrder, sliceId, sliceKey } from "./keys.ts";
import { packNewSlice } from "./slice-codec.ts";
import { shortId } from "../traces/writer.ts";
import { packUsage } from "./usage-codec.ts";

/**
 * Stores a run with its frozen targets. Nobody sees it before everything of it is durable. Creating the same id again
 * gives the run that is there, or that was there and has been deleted: it is not made a second time.
 *
 * @throws Refusal `unavailable` when another request creates it and does not come to an end; as `repeat.met` when another
 *   has created it.
 */
export type CreateRun = (order: RunOrder, targets: readonly RunTarget[], repeat?: Repeat) => Promise<Run>;

export const runCreation = (database: Database, now: () => number = Date.now): CreateRun => {
  const { client, table } = database;
  const TableName = table("runs");

  /** Puts the invisible RUN. @returns false when the id is taken by a run that was committed. */
  const open = async (order: RunOrder, attempt: string, sliceCount: number, repeat: Repeat): Promise<boolean> => {
    const reply = await ifConditionHolds(
      client.send(
        new PutCommand({
          TableName,
          Item: {
            ...runKey(order.projectId, order.id),
            kind: "run",
            d: packOrder(order),
            status: creating,
            attempt,
            slices: sliceCount,
            slices_left: sliceCount,
            ...noCounts,
            used: packUsage(noUsage),
            open_key: openPartition,
            order_key: runOrder(order.createdAt, order.id),
            ...keptHash(repeat),
          },
          ConditionExpression: "attribute_not_exists(pk) OR #status = :creating OR #ttl <= :now",
          ExpressionAttributeNames: { "#status": "status", "#ttl": "ttl" },
          ExpressionAttributeValues: { ":creating": creating, ":now": Math.floor(now() / 1000) },
        }),
      ),
    );
    return reply !== null;
  };

  const putSlices = (order: RunOrder, attempt: string, cut: readonly (readonly RunTarget[])[]): Promise<void> =>
    batchWrite(
      database,
      "runs",
      cut.map((targets, number) => ({
        PutRequest: {
          Item: {
            ...sliceKey(order.projectId, order.id, sliceId(attempt, number)),
            ...packNewSlice(order, targets),
          },
        },
      })),
    );

  /** Takes back the slices of an attempt that did not become the run. */
  const removeSlices = ({ projectId, id }: RunOrder, attempt: string, count: number): Promise<void> =>
    batchWrite(
      database,
      "runs",
      Array.from({ length: count }, (_, number) => ({
        DeleteRequest: { Key: sliceKey(projectId, id, sliceId(attempt, number)) },
      })),
    );

  /** Makes the run visible: the commit. @returns false when another attempt took its place. */
  const commit = async (order: RunOrder, attempt: string): Promise<boolean> => {
    const monitor = order.monitorId === null ? null : monitorRunsPartition(order.projectId, order.monitorId);
    const reply = await ifConditionHolds(
      client.send(
        new UpdateCommand({
          TableName,
          Key: runKey(order.projectId, order.id),
          UpdateExpression: `SET #status = :pending, list_key = :list${monitor === null ? "" : ", monitor_key = :monitor"}`,
          ConditionExpression: "#status = :creating AND attempt = :attempt",
          ExpressionAttributeNames: { "#status": "status" },
          ExpressionAttributeValues: {
            ":pending": "PENDING",
            ":creating": creating,
            ":attempt": attempt,
            ":list": runListPartition(order.projectId, order.targetType),
            ...(monitor === null ? {} : { ":monitor": monitor }),
          },
        }),
      ),
    );
    return reply !== null;
  };

  /** The run as another request that creates it at the same time commits it; null when none does in time. */
  const committedByAnother = ({ projectId, id }: RunOrder): Promise<StoredRun | null> =>
    attempts<StoredRun | null>(
      patience.creation,
      () => null,
      async () => {
        const { Item } = await client.send(
          new GetCommand({ TableName, Key: runKey(projectId, id), ConsistentRead: true }),
        );
        const stored = Item === undefined ? null : unpackRun(Item);
        return stored?.creating === true ? again : stored;
      },
    );

  return async (order, targets, repeat = unrepeated) => {
    const attempt = shortId();
    const cut = cutSlices(targets, order);
    const opened = await open(order, attempt, cut.length, repeat);
    if (opened) {
      await putSlices(order, attempt, cut);
      if (await commit(order, attempt)) return newRun(order);
    }
    const stored = await committedByAnother(order);
    // A commit whose answer was lost refuses its own repetition: the run may be this attempt's after all.
    if (opened && stored?.attempt !== attempt) await removeSlices(order, attempt, cut.length);
    if (stored !== null) {
      if (stored.attempt !== attempt) repeat.met(stored.bodyHash);
      return newRun(stored.run.order);
    }
    throw new Refusal({ kind: "unavailable", detail: "The run is being created by another request. Try again." });
  };
};
