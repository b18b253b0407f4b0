import type { PendingEvent } from "../../domain/event.ts";
import type { Firing } from "../../domain/monitors/firing.ts";
import { type PageRequest, pageOf, type Page } from "../../domain/page.ts";
import type { Database } from "../../dynamo/database.ts";
import { withRetries, throwContention } from "../../dynamo/with-retries.ts";
import { failedConditions } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf, type Write } from "../../dynamo/items.ts";
import { workerRetryPolicy } from "../../dynamo/retry-policies.ts";
import { outboxWrites } from "../events/outbox.ts";
import { creatingStatus } from "../runs/codec.ts";
import { runKey } from "../runs/keys.ts";
import { packFiring, unpackFiring } from "./codec.ts";
import { firingKey, firingsOf } from "./keys.ts";

/** Seconds that a firing is stored: 30 days. */
const retentionSeconds = 30 * 86_400;

/** Store of the firings of monitors. */
export interface Firings {
  /** Reads the firing of a scheduled instant, strongly consistent; null when there is none. */
  get(project: string, monitor: string, scheduledAt: number): Promise<Firing | null>;
  /** Stores a firing with the event about it, if any, unless its instant already has one. @returns the stored firing. */
  decide(project: string, monitor: string, firing: Firing, event?: PendingEvent): Promise<Firing>;
  /** Replaces a firing whose run was not created by the given failed firing. @returns false when the run exists. */
  fail(project: string, monitor: string, run: string, firing: Firing, event?: PendingEvent): Promise<boolean>;
  /** Lists a monitor's firings of the last 30 days, newest first. */
  page(project: string, monitor: string, at: PageRequest): Promise<Page<Firing>>;
}

export const firingStore = (database: Database, now: () => number = Date.now): Firings => {
  const monitors = itemsOf(database, "monitors");

  const itemOf = (project: string, monitor: string, firing: Firing) => ({
    ...firingKey(project, monitor, firing.scheduledAt),
    d: packFiring(firing),
    ttl: Math.ceil(now() / 1000) + retentionSeconds,
  });

  /** Writes all or nothing. @returns false when a condition was not met. */
  const isWritten = (writes: readonly Write[]): Promise<boolean> => {
    const contention = throwContention("The firing changed during every attempt to record it.");
    return withRetries<boolean>(
      workerRetryPolicy,
      contention,
      async () => (await failedConditions(monitors.transact(writes))).size === 0,
    );
  };

  const get: Firings["get"] = async (project, monitor, scheduledAt) => {
    const item = await monitors.get(firingKey(project, monitor, scheduledAt));
    return item === undefined ? null : unpackFiring(item);
  };

  return {
    get,

    decide: async (project, monitor, firing, event) => {
      const writes = [{ put: itemOf(project, monitor, firing), when: ifAbsent }, ...outboxWrites(event)];
      if (await isWritten(writes)) return firing;
      return (await get(project, monitor, firing.scheduledAt)) ?? firing;
    },

    fail: (project, monitor, run, firing, event) => {
      const writes = [
        { put: itemOf(project, monitor, firing) },
        {
          table: "runs",
          check: runKey(project, run),
          when: "attribute_not_exists(pk) OR #status = :creating",
          values: { ":creating": creatingStatus },
        },
        ...outboxWrites(event),
      ] as const;
      return isWritten(writes);
    },

    page: async (project, monitor, at) => {
      const items = monitors.query({
        ...firingsOf(project, monitor),
        filter: "#ttl > :now",
        values: { ":now": Math.floor(now() / 1000) },
        descending: true,
        strongly: false,
      });
      const firings = async function* (): AsyncGenerator<Firing> {
        for await (const item of items) yield unpackFiring(item);
      };
      return pageOf(firings(), at, ({ scheduledAt }) => ({ key: scheduledAt, id: "" }));
    },
  };
};
