import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { expiryDayOf } from "../../dynamo/expiry.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { counterPrefix } from "./counts.ts";
import { traceDays } from "./days.ts";

/** Schema of the progress of counting a project's rows: newest days first, rows of a day in order. */
export const rowCount = v.object({
  /**
   * Current day and partition of it, by number, and the last counted row there, null when all were counted; null
   * before the first day.
   */
  place: v.nullable(v.object({ day: v.string(), partition: v.optional(v.number()), row: v.nullable(v.string()) })),
  rows: v.number(),
  /** Number of rows by counter, and their expiry, epoch seconds. */
  counters: v.record(v.string(), v.object({ n: v.number(), ttl: v.optional(v.number()) })),
});

/** Progress of counting a project's trace rows. */
export type RowCount = Readonly<v.InferOutput<typeof rowCount>>;

/** Progress of a count of trace rows that has not begun. */
export const emptyRowCount: RowCount = { place: null, rows: 0, counters: {} };

const row = v.object({ ttl: v.optional(v.number()) });
const rowKeyItem = v.object({ sk: v.instance(Uint8Array) });

/**
 * Returns a function that counts the rows of a project, a page at a time, and continues where a previous call ended.
 */
export const rowCounting = (database: Database, now: () => number) => {
  const days = traceDays(database);

  /**
   * @param until epoch milliseconds at which counting stops, after one page at least.
   * @returns `isAll` true if all rows are counted.
   */
  return async (project: string, before: RowCount, until: number): Promise<{ count: RowCount; isAll: boolean }> => {
    const counters = new Map(Object.entries(before.counters).map(([name, counter]) => [name, { ...counter }]));
    let { place, rows } = before;
    const start = place;
    const remaining = (await days.list(project, true))
      .flatMap(({ day, partitions }) => partitions.map((pk, partition) => ({ day, pk, partition })))
      .filter(({ day, partition }) => {
        if (start === null || day !== start.day) return start === null || day < start.day;
        const { partition: last = 0 } = start;
        return start.row === null ? partition > last : partition >= last;
      });
    for (const { day, pk, partition } of remaining) {
      const from = day === start?.day && partition === (start.partition ?? 0) ? start.row : null;
      const pages = itemsOf(database, "rows").pages({
        pk,
        filter: "attribute_exists(d)",
        attributes: "#ttl",
        start: from === null ? undefined : { pk, sk: Buffer.from(from, "base64") },
        strongly: false,
      });
      for await (const { items, next } of pages) {
        for (const item of items) {
          const { ttl } = v.parse(row, item);
          const name = counterPrefix(expiryDayOf(ttl));
          const counter = counters.get(name) ?? { n: 0, ...(ttl !== undefined && { ttl }) };
          counter.n += 1;
          counters.set(name, counter);
        }
        rows += items.length;
        const last = next === undefined ? null : v.parse(rowKeyItem, next).sk;
        place = { day, partition, row: last === null ? null : Buffer.from(last).toString("base64") };
        const isAll = last === null && pk === remaining.at(-1)?.pk;
        if (!isAll && now() >= until) {
          return { count: { place, rows, counters: Object.fromEntries(counters) }, isAll: false };
        }
      }
    }
    return { count: { place, rows, counters: Object.fromEntries(counters) }, isAll: true };
  };
};
