import * as v from "valibot";
import { dayOf, type Instant } from "../../domain/instant.ts";
import { uuidBytes } from "../../dynamo/bytes/text.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { dayOfYear, numberOfDay, partitionsOfBusyDay, rowPartition, yearKey, yearOf, yearOfSort } from "./keys.ts";

/** Range of instants, both inclusive; null for no bound. */
interface DayRange {
  readonly from: Instant | null;
  readonly to: Instant | null;
}

/** A UTC day on which a project has traces. */
export interface TraceDay {
  readonly day: string;
  /** Keys of the partitions in which the day's rows lie, by number: one, or those of a busy day. */
  readonly partitions: readonly Buffer[];
}

/** Lists of the UTC days on which a project has traces: one item for each year. */
export interface TraceDays {
  /**
   * Adds a day to the list, before its first row is written.
   *
   * @param isBusy true to list the partitions of a busy day, before the first row outside of the first one is written.
   * @returns true if the day is listed as busy; a process learns of it with its first trace of the day.
   */
  add(project: string, day: string, isBusy?: boolean): Promise<boolean>;
  /** Makes this process's next trace of a day add it again, since another process may have listed it as busy. */
  forget(project: string, day: string): void;
  /** Returns the listed days, newest first. Every day with rows is listed; a day without rows may be. */
  list(project: string, strongly: boolean, range?: DayRange): Promise<readonly TraceDay[]>;
  /**
   * Yields the listed days in groups, newest first, a few years at a time: a reader of the newest days need not read
   * the others.
   */
  newest(project: string): AsyncGenerator<readonly TraceDay[]>;
  /**
   * Removes days without rows from the list of a project that has no writers any more; a process that wrote to the
   * project does not add a day a second time.
   */
  remove(project: string, days: readonly string[]): Promise<void>;
}

const dayNumbers = v.optional(v.set(v.number()), () => new Set<number>());

/** The list of one year: its days by their number in it, absent if all were removed; `b`: those that are busy. */
const yearItem = v.object({ sk: v.instance(Uint8Array), n: dayNumbers, b: dayNumbers });

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
  /** Added pairs, and whether the day is busy. */
  const addedPairs = new Map<string, boolean>();

  /** Yields days in groups, as the items of their years are read, newest first. */
  const groups = async function* (
    project: string,
    strongly: boolean,
    { from, to }: DayRange,
    limit?: number,
  ): AsyncGenerator<readonly TraceDay[]> {
    const [first, last] = [from === null ? "" : dayOf(from), to === null ? `${maxYear}-12-31` : dayOf(to)];
    const pages = rows.pages({
      pk: uuidBytes(project),
      between: [yearKey(project, maxYear).sk, yearKey(project, from === null ? 0 : yearOf(first)).sk],
      strongly,
      limit,
    });
    for await (const { items } of pages) {
      const days = items.flatMap((item) => {
        const { sk, n, b } = v.parse(yearItem, item);
        return Array.from(n, (number): TraceDay => {
          const [day, length] = [dayOfYear(yearOfSort(sk), number), b.has(number) ? partitionsOfBusyDay : 1];
          return { day, partitions: Array.from({ length }, (_, partition) => rowPartition(project, day, partition)) };
        });
      });
      const daysInRange = days.filter(({ day }) => day >= first && day <= last);
      if (daysInRange.length > 0) yield daysInRange.toSorted((a, b) => (a.day < b.day ? 1 : -1));
    }
  };

  return {
    add: async (project, day, isBusy = false) => {
      const pair = `${project}#${day}`;
      const added = addedPairs.get(pair);
      if (added !== undefined && (added || !isBusy)) return added;
      const number = numberOfDay(day);
      const { Attributes } = await rows.update(
        yearKey(project, yearOf(day)),
        isBusy ? "ADD n :number, b :number" : "ADD n :number",
        { values: { ":number": new Set([number]) }, ReturnValues: "ALL_NEW" },
      );
      const isListedAsBusy = v.parse(yearItem, Attributes).b.has(number);
      if (addedPairs.size >= cacheSize) addedPairs.clear();
      addedPairs.set(pair, isListedAsBusy);
      return isListedAsBusy;
    },

    forget: (project, day) => {
      addedPairs.delete(`${project}#${day}`);
    },

    list: async (project, strongly, range = { from: null, to: null }) => {
      const days: TraceDay[] = [];
      for await (const group of groups(project, strongly, range)) days.push(...group);
      return days;
    },

    newest: (project) => groups(project, false, { from: null, to: null }, yearsAtATime),

    remove: async (project, days) => {
      for (const [year, daysOfYear] of Map.groupBy(days, yearOf)) {
        const values = { ":numbers": new Set(daysOfYear.map(numberOfDay)) };
        const key = yearKey(project, year);
        await ifConditionHolds(
          rows.update(key, "DELETE n :numbers, b :numbers", { when: "attribute_exists(n)", values }),
        );
      }
    },
  };
};
