import * as v from "valibot";
import { dayOf, type Instant } from "../../domain/instant.ts";
import { uuidBytes } from "../../dynamo/bytes/text.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { legacyDaysKey, dayOfYear, numberOfDay, yearKey, yearOf, yearOfSort } from "./keys.ts";

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

/** Days of one year by their number in it; absent if all were removed. */
const numbers = v.optional(v.set(v.number()), () => new Set<number>());
const yearItem = v.object({ sk: v.instance(Uint8Array), n: numbers });

/**
 * Schema of the list of all days in one item, which the previous version of the service reads instead of the lists by
 * year. New days are added to it while it is short.
 */
const legacyItem = v.object({ days: v.optional(v.set(v.string()), () => new Set<string>()) });

/**
 * Maximum number of days in the list that the previous version of the service reads: no days are added to a longer
 * list, because a write costs as much as the whole list weighs.
 */
const maxLegacyDays = 730;

/**
 * Years read in one request for the newest days, together with the list that the previous version of the service reads.
 */
const yearsAtATime = 2;

/**
 * Max pairs of project and day that a process remembers as added: a day is added once per process, not once per trace.
 */
const cacheSize = 10_000;

export const traceDays = (database: Database): TraceDays => {
  const rows = itemsOf(database, "rows");
  const addedPairs = new Set<string>();

  const addToLegacyList = async (project: string, day: string): Promise<void> => {
    const key = legacyDaysKey(project);
    const item = await rows.get(key, { strongly: false });
    if (item !== undefined && v.parse(legacyItem, item).days.size >= maxLegacyDays) return;
    await rows.update(key, "ADD days :day", { values: { ":day": new Set([day]) } });
  };

  /**
   * Yields days in groups, as their items are read: the list that the previous version of the service reads, then year
   * by year, newest first.
   */
  const groups = async function* (
    project: string,
    strongly: boolean,
    { from, to }: DayRange,
    limit?: number,
  ): AsyncGenerator<readonly string[]> {
    const [first, last] = [from === null ? "" : dayOf(from), to === null ? "9999-12-31" : dayOf(to)];
    const pages = rows.pages({
      pk: uuidBytes(project),
      between: [legacyDaysKey(project).sk, yearKey(project, from === null ? 0 : yearOf(first)).sk],
      strongly,
      limit,
    });
    const unreportedDays = new Set<string>();
    for await (const { items, next } of pages) {
      let oldest = "9999-12-31";
      for (const item of items) {
        const year = yearOfSort(v.parse(yearItem, item).sk);
        if (year === null) for (const day of v.parse(legacyItem, item).days) unreportedDays.add(day);
        else {
          for (const number of v.parse(yearItem, item).n) unreportedDays.add(dayOfYear(year, number));
          oldest = dayOfYear(year, 1);
        }
      }
      // All days of the remaining items are older than the years already read.
      const completeDays = [...unreportedDays].filter((day) => next === undefined || day >= oldest);
      for (const day of completeDays) unreportedDays.delete(day);
      const daysInRange = completeDays.filter((day) => day >= first && day <= last);
      if (daysInRange.length > 0) yield daysInRange.toSorted().toReversed();
    }
  };

  return {
    add: async (project, day) => {
      const pair = `${project}#${day}`;
      if (addedPairs.has(pair)) return;
      const number = numberOfDay(day);
      const { Attributes } = await rows.update(yearKey(project, yearOf(day)), "ADD n :number", {
        values: { ":number": new Set([number]) },
        ReturnValues: "UPDATED_OLD",
      });
      const before = v.parse(v.object({ n: numbers }), Attributes ?? {});
      if (!before.n.has(number)) await addToLegacyList(project, day);
      if (addedPairs.size >= cacheSize) addedPairs.clear();
      addedPairs.add(pair);
    },

    list: async (project, strongly, range = { from: null, to: null }) => {
      const days: string[] = [];
      for await (const group of groups(project, strongly, range)) days.push(...group);
      return days;
    },

    newest: (project) => groups(project, false, { from: null, to: null }, 1 + yearsAtATime),

    remove: async (project, days) => {
      for (const [year, daysOfYear] of Map.groupBy(days, yearOf)) {
        const values = { ":numbers": new Set(daysOfYear.map(numberOfDay)) };
        const key = yearKey(project, year);
        await ifConditionHolds(rows.update(key, "DELETE n :numbers", { when: "attribute_exists(n)", values }));
      }
      const ofLegacyList = { when: "attribute_exists(days)", values: { ":days": new Set(days) } };
      await ifConditionHolds(rows.update(legacyDaysKey(project), "DELETE days :days", ofLegacyList));
    },
  };
};
