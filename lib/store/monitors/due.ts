import * as v from "valibot";
import { instantAt, type Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import type { StoredMonitor } from "./codec.ts";
import { dueMonitorsPartition, monitorKey } from "./keys.ts";
import { nextCheck } from "./sweep-checks.ts";

/** A monitor that the sweeper (the scheduled maintenance function) must check. */
export interface DueMonitor {
  readonly project: string;
  readonly monitor: string;
  /** Instant since which the check is due. */
  readonly at: Instant;
}

/** Monitors that the sweeper (the scheduled maintenance function) must check. */
export interface DueMonitors {
  /** Lists the monitors whose firing is minutes late or whose schedules were not created, longest due first. */
  list(now: number): AsyncIterable<DueMonitor>;
  /**
   * Records a check of a monitor before it is done, so that a faulty monitor cannot block others.
   *
   * @returns false when the monitor is not due at that instant any more.
   */
  touch(due: DueMonitor): Promise<boolean>;
  /** Moves a monitor whose check was recorded (`touch`) behind all other due monitors. */
  postpone(storedMonitor: StoredMonitor): Promise<void>;
}

const dueItem = v.object({ pk: v.string(), due_at: v.string() });
const checkItem = v.object({ looks: v.optional(v.number(), 0), late_at: v.optional(v.string()) });

export const dueMonitors = (database: Database, now: () => number = Date.now): DueMonitors => {
  const monitors = itemsOf(database, "monitors");

  /**
   * Sets the next check of a monitor.
   *
   * @param increment checks to count.
   * @returns false when the monitor is not due at `dueAt` any more.
   */
  const recordCheck = async (project: string, monitor: string, dueAt: Instant, increment: number): Promise<boolean> => {
    const key = monitorKey(project, monitor);
    const item = await monitors.get(key, { attributes: "looks, late_at" });
    if (item === undefined) return false;
    const { looks, late_at: lateAt } = v.parse(checkItem, item);
    const checks = looks + increment;
    const update = monitors.update(key, "SET due_at = :next, looks = :looks", {
      when: "due_at = :due",
      values: { ":due": dueAt, ":next": nextCheck(checks, lateAt, now()), ":looks": checks },
    });
    return (await ifConditionHolds(update)) !== null;
  };

  return {
    list: async function* (at) {
      const items = monitors.query({
        index: "due",
        where: "due_key = :due AND due_at <= :at",
        values: { ":due": dueMonitorsPartition, ":at": instantAt(at) },
      });
      for await (const item of items) {
        const { pk, due_at } = v.parse(dueItem, item);
        const [project = "", , monitor = ""] = pk.split("#");
        yield { project, monitor, at: due_at };
      }
    },

    touch: ({ project, monitor, at }) => recordCheck(project, monitor, at, 1),

    postpone: async ({ monitor: { projectId, id }, check }) => {
      if (check !== null) await recordCheck(projectId, id, check.next, 0);
    },
  };
};
