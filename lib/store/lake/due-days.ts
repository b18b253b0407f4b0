import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { mapConcurrently } from "../../async/concurrency.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds, succeeds } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";

/** A UTC day of a project. */
export interface ProjectDay {
  readonly project: string;
  readonly day: string;
}

/** A day whose files a worker has to write, for as long as it has the lease. */
export interface DueDay extends ProjectDay {
  readonly sort: string;
  readonly lease: string;
  /** True if an export asked for the day. */
  readonly isAsked: boolean;
  /** True if that export asked for spans. */
  readonly wantsSpans: boolean;
  /** True if an earlier worker has died with the day. */
  readonly isRetaken: boolean;
}

const pk = "lake-due";

/** Milliseconds of a lease: longer than the writing function runs. */
const leaseMilliseconds = 16 * 60_000;

const [hour, halfDay] = [3_600_000, 12 * 3_600_000];

/** Milliseconds before a pass from which a change counts for the next one: stream workers may be late, and clocks differ. */
const passMargin = hour / 4;

/**
 * Returns the start of the next pass over the days that have ended or changed, epoch milliseconds: at 1:00 or 13:00 UTC. A day ends an hour
 * before the first pass that takes it, and no change waits for more than 13 hours.
 */
export const nextPass = (at: number): number => Math.ceil((at + passMargin - hour) / halfDay) * halfDay + hour;

/** Returns when the last pass before an instant was due, epoch milliseconds. */
export const lastPass = (at: number): number => nextPass(at) - halfDay;

/** Milliseconds after the end of an hour from which it gets its part of the index of words: most of its traces have ended by then. */
export const indexingMargin = hour / 6;

/** Returns when hours of an open day get their part of the index of words next, epoch milliseconds: ten minutes past an hour. */
export const nextIndexing = (at: number): number => Math.ceil((at - indexingMargin) / hour) * hour + indexingMargin;

/** Traces from which a project has files without being asked, and an open day a further part of its index of words: fewer are read as fast. */
export const minWrittenTraces = 10_000;

/** Places of the days that exports ask for, without and with spans, before all instants. */
const [askedPlace, askedSpansPlace] = ["0", "1"] as const;

const item = v.object({ sk: v.string(), lease: v.optional(v.string()), until: v.optional(v.number()) });

/** Seconds for which a due day is kept while no worker exists: a deployment without the engine never takes it. */
const keepSeconds = 30 * 86_400;

/** Due days read at once. */
const pageSize = 50;

/** Days put at the same time. */
const parallel = 16;

/** Store of the days whose files have to be written, by the time from which they are due. */
export const dueDays = (database: Database, now: () => number = Date.now) => {
  const aggregates = itemsOf(database, "aggregates");
  const itemOf = (place: string, at: number, { project, day }: ProjectDay) => ({
    pk,
    sk: `${place}#${project}#${day}`,
    ttl: Math.ceil(at / 1000) + keepSeconds,
  });
  const placeOf = (at: number): string => new Date(at).toISOString();

  /** Yields the due days that no worker has, in their order. */
  const free = async function* (strongly = true): AsyncGenerator<v.InferOutput<typeof item>> {
    const at = now();
    // "$" sorts after the "#" that follows a place.
    const pages = aggregates.pages({ pk, between: [askedPlace, `${placeOf(at)}$`], limit: pageSize, strongly });
    for await (const { items } of pages)
      yield* items.map((value) => v.parse(item, value)).filter(({ until }) => until === undefined || until <= at);
  };

  return {
    /** Makes a day due at an instant, epoch milliseconds. */
    add: async (at: number, day: ProjectDay): Promise<void> =>
      void (await aggregates.put(itemOf(placeOf(at), at, day))),

    /** Makes days due at once for an export; one that waits or is being written for such an export stays as it is. */
    ask: async (days: readonly ProjectDay[], withSpans = false): Promise<void> => {
      const place = withSpans ? askedSpansPlace : askedPlace;
      await mapConcurrently(days, parallel, async (day) => {
        await ifConditionHolds(aggregates.put(itemOf(place, now(), day), { when: ifAbsent }));
      });
    },

    /** True if a day is due that no worker has. */
    isAny: async (strongly = true): Promise<boolean> => {
      for await (const _ of free(strongly)) return true;
      return false;
    },

    /** Leases the next due day; null if there is none. */
    claim: async (): Promise<DueDay | null> => {
      for await (const { sk: sort, until: before } of free()) {
        const [lease, at] = [randomUUID(), now()];
        const values = { ":lease": lease, ":until": at + leaseMilliseconds, ":now": at };
        const when = "attribute_exists(pk) AND (attribute_not_exists(#until) OR #until <= :now)";
        const change = "SET #lease = :lease, #until = :until";
        if (!(await succeeds(aggregates.update({ pk, sk: sort }, change, { when, values })))) continue;
        const [place, project = "", day = ""] = sort.split("#");
        const wantsSpans = place === askedSpansPlace;
        return {
          sort,
          lease,
          project,
          day,
          isAsked: wantsSpans || place === askedPlace,
          wantsSpans,
          isRetaken: before !== undefined,
        };
      }
      return null;
    },

    /** Removes the due days of a project, whatever they wait for, and yields 1 for each. */
    erase: async function* (project: string): AsyncGenerator<number> {
      for await (const { items } of aggregates.pages({ pk, limit: pageSize, strongly: true }))
        for (const { sk } of items.map((value) => v.parse(item, value))) {
          if (sk.split("#")[1] !== project) continue;
          await aggregates.remove({ pk, sk });
          yield 1;
        }
    },

    /** Removes a due day, unless it was made due again since its lease began. */
    finish: async ({ sort, lease }: DueDay): Promise<void> => {
      const condition = { when: "#lease = :lease", values: { ":lease": lease } };
      await ifConditionHolds(aggregates.remove({ pk, sk: sort }, condition));
    },
  };
};

export type DueDays = ReturnType<typeof dueDays>;
