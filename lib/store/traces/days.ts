import * as v from "valibot";
import { dayOf, type Instant } from "../../domain/instant.ts";
import { uuidBytes } from "../../dynamo/bytes/text.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { dayOfYear, numberOfDay, yearKey, yearOf, yearOfSort } from "./keys.ts";

/** Range of instants, both inclusive; null for no bound. */
interface DayRange {
  readonly from: Instant | null;
  readonly to: Instant | null;
}

/** Lists of the UTC days on which a project has traces: one item for each year. */
export interface TraceDays {
  /** Adds a day to the list, before its first row is written. */
  add(project: string, day: string): Promise<void>;
  /** Returns the listed days, newest first. Every day with rows is listed; a day without rows may be. */
  list(project: string, strongly: boolean, range?: DayRange): Promise<readonly string[]>;
  /**
   * Yields the listed days in groups, newest first, a few years at a time: a reader of the newest days need not read
   * the others.
   */
  newest(project: string): AsyncGenerator<readonly string[]>;
  /**
   * Removes days without rows from the list of a project that has no writers any more; a process that wrote to the
   * project does not add a day a second time.
   */
  remove(project: string, days: readonly string[]): Promise<void>;
}

/** The list of one year: its days by their number in it, absent if all were removed. */
const yearItem = v.object({
  sk: v.instance(Uint8Array),
  n: v.optional(v.set(v.number()), () => new Set<number>()),
});

/** Last year of an instant. */
const maxYear = 9_999;

/** Years read in one request for the newest days: together less than 4 KB, half a read unit. */
const yearsAtATime = 3;

/**
 * Max pairs of project and day that a process remembers as added: a day is added once per process, not once per trace.
 */
const cacheSize = 10_000;

export const traceDays = (database: Database): TraceDays => {
  const rows = itemsOf(database, "rows");
  const addedPairs = new Set<string>();

  /** Yields days in groups, as the items of their years are read, newest first. */
  const groups = async function* (
    project: string,
    strongly: boolean,
    { from, to }: DayRange,
    limit?: number,
  ): AsyncGenerator<readonly string[]> {
    const [first, last] = [from === null ? "" : dayOf(from), to === null ? `${maxYear}-12-31` : dayOf(to)];
    const pages = rows.pages({
      pk: uuidBytes(project),
      between: [yearKey(project, maxYear).sk, yearKey(project, from === null ? 0 : yearOf(first)).sk],
      strongly,
      limit,
    });
    for await (const { items } of pages) {
      const days = items.flatMap((item) => {
        const { sk, n } = v.parse(yearItem, item);
        return Array.from(n, (number) => dayOfYear(yearOfSort(sk), number));
      });
      const daysInRange = days.filter((day) => day >= first && day <= last);
      if (daysInRange.length > 0) yield daysInRange.toSorted().toReversed();
    }
  };

  return {
    add: async (project, day) => {
      const pair = `${project}#${day}`;
      if (addedPairs.has(pair)) return;
      const values = { ":number": new Set([numberOfDay(day)]) };
      await rows.update(yearKey(project, yearOf(day)), "ADD n :number", { values });
      if (addedPairs.size >= cacheSize) addedPairs.clear();
      addedPairs.add(pair);
    },

    list: async (project, strongly, range = { from: null, to: null }) => {
      const days: string[] = [];
      for await (const group of groups(project, strongly, range)) days.push(...group);
      return days;
    },

    newest: (project) => groups(project, false, { from: null, to: null }, yearsAtATime),

    remove: async (project, days) => {
      for (const [year, daysOfYear] of Map.groupBy(days, yearOf)) {
        const values = { ":numbers": new Set(daysOfYear.map(numberOfDay)) };
        const key = yearKey(project, year);
        await ifConditionHolds(rows.update(key, "DELETE n :numbers", { when: "attribute_exists(n)", values }));
      }
    },
  };
};
