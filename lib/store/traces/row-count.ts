import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../database.ts";
import { expiryOf } from "../expiry.ts";
import { counterOf } from "./counts.ts";
import { traceDays } from "./days.ts";
import { rowPartition } from "./keys.ts";

/** How far the rows of a project have been counted: newest days first, and within a day up to a row. */
export const rowCount = v.object({
  /** The day that is being counted, and the last row of it that was, null when all were; null before the first day. */
  place: v.nullable(v.object({ day: v.string(), row: v.nullable(v.string()) })),
  rows: v.number(),
  /** Rows by counter, and when they expire, epoch seconds. */
  counters: v.record(v.string(), v.object({ n: v.number(), ttl: v.optional(v.number()) })),
});

export type RowCount = Readonly<v.InferOutput<typeof rowCount>>;

export const nothingCounted: RowCount = { place: null, rows: 0, counters: {} };

const row = v.object({ ttl: v.optional(v.number()) });
const rowKeyItem = v.object({ sk: v.instance(Uint8Array) });

/** Makes the function that counts the rows of a project, a page at a time, from where it ended. */
export const rowCounting = ({ client, table }: Database, now: () => number) => {
  const days = traceDays({ client, table });

  /** @param until epoch milliseconds; one page is always counted. @returns whether these are all. */
  return async (project: string, before: RowCount, until: number): Promise<{ count: RowCount; isAll: boolean }> => {
    const counters = new Map(Object.entries(before.counters).map(([name, counter]) => [name, { ...counter }]));
    let { place, rows } = before;
    const start = place;
    const inUse = (await days.list(project, true)).filter(
      (day) => start === null || day < start.day || (day === start.day && start.row !== null),
    );
    for (const day of inUse) {
      const pk = rowPartition(project, day);
      const from = day === start?.day ? start.row : null;
      const pages = paginateQuery(
        { client, ...(from !== null && { startingToken: { pk, sk: Buffer.from(from, "base64") } }) },
        {
          TableName: table("rows"),
          KeyConditionExpression: "pk = :pk",
          FilterExpression: "attribute_exists(d)",
          ProjectionExpression: "#ttl",
          ExpressionAttributeNames: { "#ttl": "ttl" },
          ExpressionAttributeValues: { ":pk": pk },
        },
      );
      for await (const { Items = [], LastEvaluatedKey } of pages) {
        for (const item of Items) {
          const { ttl } = v.parse(row, item);
          const name = counterOf(expiryOf(ttl));
          const counter = counters.get(name) ?? { n: 0, ...(ttl !== undefined && { ttl }) };
          counter.n += 1;
          counters.set(name, counter);
        }
        rows += Items.length;
        const last = LastEvaluatedKey === undefined ? null : v.parse(rowKeyItem, LastEvaluatedKey).sk;
        place = { day, row: last === null ? null : Buffer.from(last).toString("base64") };
        const isAll = last === null && day === inUse.at(-1);
        if (!isAll && now() >= until) {
          return { count: { place, rows, counters: Object.fromEntries(counters) }, isAll: false };
        }
      }
    }
    return { count: { place, rows, counters: Object.fromEntries(counters) }, isAll: true };
  };
};
