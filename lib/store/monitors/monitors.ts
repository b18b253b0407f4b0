import { maxMonitors, type Monitor, type MonitorStatus } from "../../domain/monitors/monitor.ts";
import type { PendingEvent } from "../../domain/event.ts";
import { type Page, type PageRequest, pageOf } from "../../domain/page.ts";
import { Refusal } from "../../domain/refusal.ts";
import { noIdempotency, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { tryAgain, withRetries, throwContention, throwUnavailable } from "../../dynamo/with-retries.ts";
import type { Database } from "../../dynamo/database.ts";
import { failedConditions, ifConditionHolds, succeeds } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";
import { outboxWrite } from "../events/outbox.ts";
import { packMonitor, unpackMonitor, type StoredMonitor } from "./codec.ts";
import { monitorCounts } from "./count.ts";
import { monitorKey, monitorListPartition } from "./keys.ts";
import { dueFields, checkAfter } from "./sweep-checks.ts";

/** Store of monitors, which start runs on a schedule. */
export interface Monitors {
  /**
   * Stores a new monitor, if the project has room for it.
   *
   * @param maxCount max monitors of a project.
   * @returns the stored monitor; for a repeated request the existing one.
   * @throws Refusal `forbidden` when the project has its maximum of monitors; and the refusals of `repeat.checkReplay`.
   */
  create(monitor: Monitor, maxCount?: number, repeat?: IdempotencyCheck): Promise<StoredMonitor>;
  /** Reads a monitor, strongly consistent; null when there is none. */
  get(project: string, id: string): Promise<StoredMonitor | null>;
  /** Lists a project's monitors, newest first, optionally of one status. */
  page(project: string, status: MonitorStatus | null, at: PageRequest): Promise<Page<Monitor>>;
  /**
   * Changes a monitor. `change` is called again when another writer was faster. A change that returns its argument
   * writes nothing.
   *
   * @param eventOf builds the event about the change, which is stored with it; absent for none.
   * @returns null when the monitor does not exist.
   */
  change(
    project: string,
    id: string,
    change: (monitor: Monitor) => Monitor | Promise<Monitor>,
    eventOf?: (before: Monitor, after: Monitor) => PendingEvent,
  ): Promise<StoredMonitor | null>;
  /**
   * Records that the monitor's schedules of this generation exist.
   *
   * @returns false when the monitor has another generation by now or does not exist.
   */
  recordScheduled(monitor: Monitor): Promise<boolean>;
  /** Deletes a monitor. @returns false when it does not exist. */
  delete(project: string, id: string): Promise<boolean>;
}

const withChange = (before: StoredMonitor, change: Partial<StoredMonitor>): StoredMonitor => {
  const after = { ...before, ...change, revision: before.revision + 1 };
  return { ...after, check: checkAfter(before, after) };
};

const tooManyMonitors = (maxCount: number): Refusal =>
  new Refusal({ kind: "forbidden", detail: `A project has at most ${maxCount} monitors. Delete a monitor first.` });

export const monitorStore = (database: Database, now: () => number = Date.now): Monitors => {
  const items = itemsOf(database, "monitors");
  const counts = monitorCounts(database, now);

  const itemOf = (storedMonitor: StoredMonitor) => {
    const { monitor, revision, scheduled } = storedMonitor;
    return {
      ...monitorKey(monitor.projectId, monitor.id),
      d: packMonitor(monitor),
      rev: revision,
      scheduled,
      list_key: monitorListPartition(monitor.projectId),
      order_key: `${monitor.createdAt}#${monitor.id}`,
      ...dueFields(storedMonitor, now()),
    };
  };

  const get = async (project: string, id: string): Promise<StoredMonitor | null> => {
    const item = await items.get(monitorKey(project, id));
    return item === undefined ? null : unpackMonitor(item);
  };

  /** Replaces a monitor. @returns false when its stored revision is another one by now. */
  const replace = async ({ revision }: StoredMonitor, after: StoredMonitor, event?: PendingEvent): Promise<boolean> => {
    const condition = { when: "rev = :rev", values: { ":rev": revision } };
    if (event !== undefined)
      return await succeeds(items.transact([{ put: itemOf(after), ...condition }, outboxWrite(event)]));
    return (await ifConditionHolds(items.put(itemOf(after), condition))) !== null;
  };

  return {
    get,

    create: (newMonitor, maxCount = maxMonitors, repeat = noIdempotency) => {
      const monitor = repeat.bodyHash === null ? newMonitor : { ...newMonitor, bodyHash: repeat.bodyHash };
      const storedMonitor = { monitor, revision: 1, scheduled: 0, check: null };
      const put = { put: itemOf(storedMonitor), when: ifAbsent };
      const busy = throwUnavailable("The project's monitors are being changed by many requests. Try again.");
      return withRetries(requestRetryPolicy, busy, async () => {
        const { monitors, increment } = await counts.read(monitor.projectId, maxCount);
        const isFull = monitors >= maxCount;
        const failedWrites = isFull ? null : await failedConditions(items.transact([put, increment]));
        if (failedWrites?.size === 0) return storedMonitor;
        const existing = isFull || failedWrites?.has(0) === true ? await get(monitor.projectId, monitor.id) : null;
        if (existing !== null) {
          repeat.checkReplay(existing.monitor.bodyHash ?? null);
          return existing;
        }
        if (isFull) throw tooManyMonitors(maxCount);
        return tryAgain;
      });
    },

    page: async (project, status, at) => {
      const newestFirst = items.query({
        index: "by-created",
        where: "list_key = :list",
        values: { ":list": monitorListPartition(project) },
        descending: true,
      });
      const matching = async function* (): AsyncGenerator<Monitor> {
        for await (const item of newestFirst) {
          const { monitor } = unpackMonitor(item);
          if (status === null || monitor.status === status) yield monitor;
        }
      };
      return pageOf(matching(), at, ({ createdAt, id }) => ({ key: createdAt, id }));
    },

    change: (project, id, change, eventOf) => {
      const busy = throwUnavailable("The monitor is being changed by many requests. Try again.");
      return withRetries(requestRetryPolicy, busy, async () => {
        const before = await get(project, id);
        if (before === null) return null;
        const monitor = await change(before.monitor);
        if (monitor === before.monitor) return before;
        const after = withChange(before, { monitor });
        return (await replace(before, after, eventOf?.(before.monitor, monitor))) ? after : tryAgain;
      });
    },

    recordScheduled: ({ projectId, id, generation }) =>
      withRetries(
        requestRetryPolicy,
        throwContention("The monitor changed during every attempt to record its schedules."),
        async () => {
          const before = await get(projectId, id);
          if (before?.monitor.generation !== generation) return false;
          if (before.scheduled === generation) return true;
          const after = withChange(before, { scheduled: generation });
          return (await replace(before, after)) || tryAgain;
        },
      ),

    delete: async (project, id) => {
      const { Attributes } = await items.remove(monitorKey(project, id), { ReturnValues: "ALL_OLD" });
      if (Attributes === undefined) return false;
      await counts.decrement(project);
      return true;
    },
  };
};
