import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf, type Write } from "../../dynamo/items.ts";
import { monitorCountKey, monitorListPartition } from "./keys.ts";

/** Number of monitors of a project, read before another one is created. */
export interface MonitorCount {
  readonly monitors: number;
  /**
   * Write that increments the counter, for the transaction that creates the monitor. It fails when the counter has
   * changed meanwhile.
   */
  readonly increment: Write;
}

/**
 * Milliseconds without a change after which the counter is compared with the list of monitors. It is longer than any
 * index lags, so that the list contains all that was counted, and it repairs changes that were not counted because of
 * a crash.
 */
const recountAfterMilliseconds = 60_000;

const counterItem = v.object({ n: v.number(), at: v.number() });

/** Counters of monitors, one item per project. */
export const monitorCounts = (database: Database, now: () => number) => {
  const items = itemsOf(database, "monitors");

  const countListed = async (project: string): Promise<number> => {
    let total = 0;
    const pages = items.pages({
      index: "by-created",
      where: "list_key = :list",
      values: { ":list": monitorListPartition(project) },
      countOnly: true,
    });
    for await (const { count } of pages) total += count;
    return total;
  };

  const readCounter = async (project: string) => {
    const item = await items.get(monitorCountKey(project));
    return item === undefined ? null : v.parse(counterItem, item);
  };

  return {
    /** @param maxMonitors max monitors of a project. */
    read: async (project: string, maxMonitors: number): Promise<MonitorCount> => {
      const counter = await readCounter(project);
      const at = now();
      const update = monitorCountKey(project);
      if (counter !== null && at - counter.at < recountAfterMilliseconds)
        return {
          monitors: counter.n,
          increment: {
            update,
            change: "SET #at = :now ADD n :one",
            when: "n < :most",
            values: { ":now": at, ":one": 1, ":most": maxMonitors },
          },
        };
      const monitors = await countListed(project);
      return {
        monitors,
        increment: {
          update,
          change: "SET #at = :now, n = :next",
          when: counter === null ? ifAbsent : "n = :known AND #at = :knownAt",
          values: { ":now": at, ":next": monitors + 1, ":known": counter?.n, ":knownAt": counter?.at },
        },
      };
    },

    /**
     * Decrements the counter after a monitor was deleted. After a crash before this call the counter is too high
     * until it is compared with the list.
     */
    decrement: async (project: string): Promise<void> => {
      await ifConditionHolds(
        items.update(monitorCountKey(project), "SET #at = :now ADD n :minus", {
          when: "n > :none",
          values: { ":now": now(), ":minus": -1, ":none": 0 },
        }),
      );
    },
  };
};
