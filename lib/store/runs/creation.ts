import { noUsage, newRun, noCounts, type Run, type RunOrder, type RunTarget } from "../../domain/runs/run.ts";
import type { PendingEvent } from "../../domain/event.ts";
import { Refusal } from "../../domain/refusal.ts";
import { bodyHashAttribute, noIdempotency, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { cutSlices } from "../../domain/runs/slice.ts";
import { tryAgain, withRetries } from "../../dynamo/with-retries.ts";
import { batchWrite } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { failedConditions, ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { runCreationRetryPolicy } from "../../dynamo/retry-policies.ts";
import { logContext } from "../../log-context.ts";
import { outboxWrite } from "../events/outbox.ts";
import { creatingStatus, originAttribute, packOrder, unpackRun, type StoredRun, packUsage } from "./codec.ts";
import { monitorRunsPartition, openPartition, runKey, runListPartition, runOrder, sliceId, sliceKey } from "./keys.ts";
import { packNewSlice } from "./slice-codec.ts";
import { shortId } from "../traces/writer.ts";

/**
 * Stores a run with its frozen targets; the run is not visible before all of it is durable. A repeated creation of the
 * same id returns the existing run, even if it was deleted meanwhile. An event is announced when the run becomes visible.
 *
 * @throws Refusal `unavailable` when another request is creating the run and does not finish; the refusals of
 *   `repeat.checkReplay` when another request has created it.
 */
export type CreateRun = (
  order: RunOrder,
  targets: readonly RunTarget[],
  repeat?: IdempotencyCheck,
  event?: PendingEvent,
) => Promise<Run>;

/** Returns the function that creates runs. */
export const runCreation = (database: Database, now: () => number = Date.now): CreateRun => {
  const runs = itemsOf(database, "runs");

  /** Stores the uncommitted run. @returns false when the id belongs to a committed run. */
  const putUncommitted = async (
    order: RunOrder,
    attempt: string,
    sliceCount: number,
    repeat: IdempotencyCheck,
  ): Promise<boolean> => {
    const reply = await ifConditionHolds(
      runs.put(
        {
          ...runKey(order.projectId, order.id),
          kind: "run",
          d: packOrder(order),
          status: creatingStatus,
          attempt,
          slices: sliceCount,
          slices_left: sliceCount,
          ...noCounts,
          used: packUsage(noUsage),
          counted: 0,
          open_key: openPartition,
          order_key: runOrder(order.createdAt, order.id),
          retried_monitor: order.retriedMonitorId,
          ...bodyHashAttribute(repeat),
          ...originAttribute(logContext()),
        },
        {
          when: "attribute_not_exists(pk) OR #status = :creating OR #ttl <= :now",
          values: { ":creating": creatingStatus, ":now": Math.floor(now() / 1000) },
        },
      ),
    );
    return reply !== null;
  };

  const putSlices = (order: RunOrder, attempt: string, slices: readonly (readonly RunTarget[])[]): Promise<void> =>
    batchWrite(
      database,
      "runs",
      slices.map((targets, number) => ({
        PutRequest: {
          Item: {
            ...sliceKey(order.projectId, order.id, sliceId(attempt, number)),
            ...packNewSlice(order, targets),
          },
        },
      })),
    );

  /** Deletes the slices of an attempt that did not become the run. */
  const removeSlices = ({ projectId, id }: RunOrder, attempt: string, count: number): Promise<void> =>
    batchWrite(
      database,
      "runs",
      Array.from({ length: count }, (_, number) => ({
        DeleteRequest: { Key: sliceKey(projectId, id, sliceId(attempt, number)) },
      })),
    );

  /** Commits the run, which makes it visible. @returns false when another attempt replaced this one. */
  const commit = async (order: RunOrder, attempt: string, event: PendingEvent | undefined): Promise<boolean> => {
    const monitor = order.monitorId === null ? null : monitorRunsPartition(order.projectId, order.monitorId);
    const key = runKey(order.projectId, order.id);
    const change = `SET #status = :pending, list_key = :list${monitor === null ? "" : ", monitor_key = :monitor"}`;
    const condition = {
      when: "#status = :creating AND attempt = :attempt",
      values: {
        ":pending": "PENDING",
        ":creating": creatingStatus,
        ":attempt": attempt,
        ":list": runListPartition(order.projectId, order.targetType),
        ":monitor": monitor,
      },
    };
    if (event === undefined) return (await ifConditionHolds(runs.update(key, change, condition))) !== null;
    const failed = await failedConditions(runs.transact([{ update: key, change, ...condition }, outboxWrite(event)]));
    return failed.size === 0;
  };

  /** Waits for the run that a concurrent request commits; null when no request commits it in time. */
  const committedByAnother = ({ projectId, id }: RunOrder): Promise<StoredRun | null> =>
    withRetries<StoredRun | null>(
      runCreationRetryPolicy,
      () => null,
      async () => {
        const item = await runs.get(runKey(projectId, id));
        const storedRun = item === undefined ? null : unpackRun(item);
        return storedRun?.isCreating === true ? tryAgain : storedRun;
      },
    );

  return async (order, targets, repeat = noIdempotency, event) => {
    const attempt = shortId();
    const slices = cutSlices(targets, order);
    const isOpen = await putUncommitted(order, attempt, slices.length, repeat);
    if (isOpen) {
      await putSlices(order, attempt, slices);
      if (await commit(order, attempt, event)) return newRun(order);
    }
    const storedRun = await committedByAnother(order);
    // If the response of a successful commit was lost, its retry fails: the run can still belong to this attempt.
    if (isOpen && storedRun?.attempt !== attempt) await removeSlices(order, attempt, slices.length);
    if (storedRun !== null) {
      if (storedRun.attempt !== attempt) repeat.checkReplay(storedRun.bodyHash);
      return newRun(storedRun.run.order);
    }
    throw new Refusal({ kind: "unavailable", detail: "The run is being created by another request. Try again." });
  };
};
