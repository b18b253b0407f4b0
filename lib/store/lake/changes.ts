import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { mapConcurrently } from "../../async/concurrency.ts";
import { dayOf, type Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { changePartition } from "./keys.ts";

const item = v.object({
  sk: v.string(),
  token: v.string(),
  at: v.number(),
  scoresOnly: v.optional(v.boolean(), false),
});

/**
 * A mark of an instant of a closed day: traces that started at it, or their scores, have changed, come or gone. An instant, because a
 * stream record has it, but not the number of the trace's row in a file.
 */
export interface LakeChange {
  readonly startedAt: Instant;
  /** Random token that is replaced with every change. */
  readonly token: string;
  /** Time of the mark, epoch milliseconds. */
  readonly at: number;
  /** True if scores have changed, but no trace. */
  readonly scoresOnly: boolean;
}

/** What has changed: traces, or scores alone. */
export type ChangeKind = "traces" | "scores";

/** Marks that are counted at most. */
const maxCounted = 10_000;

/** Marks that are written or cleared at the same time. */
const parallel = 8;

/** Bounds of the instants of days: "U" sorts after the "T" that follows the day. */
const daysBetween = (first: string, last: string): readonly [string, string] => [first, `${last}U`];

/** Store of what has changed in closed days since their files were written. */
export const lakeChanges = (database: Database, now: () => number = Date.now) => {
  const aggregates = itemsOf(database, "aggregates");
  return {
    /** Marks instants at which traces, or scores alone, have changed. */
    mark: async (project: string, instants: Iterable<Instant>, kind: ChangeKind): Promise<void> => {
      await mapConcurrently(new Set(instants), parallel, async (sk) => {
        const key = { pk: changePartition(project), sk };
        const values = { ":token": randomUUID(), ":at": now(), ":scoresOnly": kind === "scores" };
        // Scores that change later leave the mark of a trace as it is.
        const scoresOnly = kind === "traces" ? ":scoresOnly" : "if_not_exists(#scoresOnly, :scoresOnly)";
        const change = `SET #token = :token, #at = :at, #scoresOnly = ${scoresOnly}`;
        await aggregates.update(key, change, { values });
      });
    },

    /**
     * Lists the marks of days, strongly consistent; of more than `max` the first `max` + 1.
     *
     * @param first first day. @param last last day.
     */
    list: async (project: string, first: string, last = first, max = Infinity): Promise<readonly LakeChange[]> => {
      const marks: LakeChange[] = [];
      for await (const value of aggregates.query({ pk: changePartition(project), between: daysBetween(first, last) })) {
        const { sk: startedAt, token, at, scoresOnly } = v.parse(item, value);
        marks.push({ startedAt, token, at, scoresOnly });
        if (marks.length > max) break;
      }
      return marks;
    },

    /**
     * Counts the marks of days, all marks after the first 10,000 left out. Changes show with the stream's lag of seconds.
     *
     * @param first first day. @param last last day.
     */
    countByDay: async (project: string, first: string, last: string): Promise<ReadonlyMap<string, number>> => {
      const counts = new Map<string, number>();
      let marks = 0;
      const between = daysBetween(first, last);
      const query = { pk: changePartition(project), between, attributes: "sk", strongly: false };
      for await (const { sk } of aggregates.query(query)) {
        const day = dayOf(String(sk));
        counts.set(day, (counts.get(day) ?? 0) + 1);
        marks += 1;
        if (marks === maxCounted) break;
      }
      return counts;
    },

    /** Deletes marks unless there was a further change since they were read. */
    clear: async (project: string, changes: readonly LakeChange[]): Promise<void> => {
      await mapConcurrently(changes, parallel, async ({ startedAt: sk, token }) => {
        const condition = { when: "#token = :token", values: { ":token": token } };
        await ifConditionHolds(aggregates.remove({ pk: changePartition(project), sk }, condition));
      });
    },
  };
};

export type LakeChanges = ReturnType<typeof lakeChanges>;
