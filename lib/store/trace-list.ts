import { QueryCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { Refusal } from "../domain/refusal.ts";
import { dayOf } from "../domain/instant.ts";
import type { TraceFilter } from "../domain/trace-filter.ts";
import type { TraceRow } from "../domain/trace-row.ts";
import type { Database } from "./database.ts";
import { unpackRow } from "./row-codec.ts";
import { traceCounts } from "./trace-counts.ts";
import { traceDays } from "./trace-days.ts";
import { rowPartition } from "./trace-keys.ts";

/** A list that would read more than this is refused, never cut short in silence. */
const maxRows = 2_000_000;

/** Days read at the same time. */
const parallelDays = 8;

export interface TraceList {
  /** One page, newest first, and the number of all traces of the project. */
  page(project: string, limit: number, offset: number): Promise<{ rows: readonly TraceRow[]; total: number }>;
  /**
   * Ids of all traces that match, strongly read.
   *
   * @throws Refusal `invalid` when more than 2,000,000 rows are in the filter's range.
   */
  matching(project: string, filter: TraceFilter): Promise<readonly string[]>;
}

const rowItem = v.object({ d: v.optional(v.instance(Uint8Array)), ttl: v.optional(v.number()) });

export const traceList = (database: Database, now: () => number = Date.now): TraceList => {
  const { client, table } = database;
  const days = traceDays(database);
  const counts = traceCounts(database);

  const rowsOf = (items: readonly Record<string, unknown>[] | undefined): TraceRow[] =>
    (items ?? []).flatMap((item) => {
      const { d, ttl } = v.parse(rowItem, item);
      return d === undefined || (ttl !== undefined && ttl * 1000 <= now()) ? [] : [unpackRow(item)];
    });

  /** The newest rows of a day, `limit` at most. */
  const newestOf = async (project: string, day: string, limit: number): Promise<TraceRow[]> => {
    const rows: TraceRow[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const page = await client.send(
        new QueryCommand({
          TableName: table("rows"),
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: { ":pk": rowPartition(project, day) },
          ScanIndexForward: false,
          Limit: limit - rows.length,
          ExclusiveStartKey: start,
        }),
      );
      rows.push(...rowsOf(page.Items));
      start = page.LastEvaluatedKey;
    } while (start !== undefined && rows.length < limit);
    return rows;
  };

  const matchingOf = async (project: string, day: string, filter: TraceFilter, read: () => void) => {
    const ids: string[] = [];
    const pages = paginateQuery(
      { client },
      {
        TableName: table("rows"),
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": rowPartition(project, day) },
        ScanIndexForward: false,
        ConsistentRead: true,
      },
    );
    for await (const page of pages) {
      for (const row of rowsOf(page.Items)) {
        read();
        if (filter.matches(row)) ids.push(row.traceId);
      }
    }
    return ids;
  };

  return {
    page: async (project, limit, offset) => {
      const [inUse, counted] = await Promise.all([days.list(project, false), counts.total(project)]);
      const wanted = offset + limit;
      const rows: TraceRow[] = [];
      // As many days at a time as the days before let expect: what is read too much is paid for too.
      for (let next = 0, width = 1; next < inUse.length && rows.length < wanted; next += width) {
        if (next > 0)
          width = Math.min(parallelDays, Math.ceil(((wanted - rows.length) * next) / Math.max(1, rows.length)));
        const group = inUse.slice(next, next + width);
        const found = await Promise.all(group.map((day) => newestOf(project, day, wanted - rows.length)));
        rows.push(...found.flat());
      }
      const page = rows.slice(offset, wanted);
      const seen = page.length === 0 ? Math.min(offset, rows.length) : offset + page.length;
      // A list read to its end has been counted while it was read.
      return { rows: page, total: rows.length < wanted ? rows.length : Math.max(counted, seen) };
    },

    matching: async (project, filter) => {
      const inUse = (await days.list(project, true)).filter(
        (day) => (filter.from === null || day >= dayOf(filter.from)) && (filter.to === null || day <= dayOf(filter.to)),
      );
      let rows = 0;
      const countRow = (): void => {
        rows += 1;
        if (rows <= maxRows) return;
        throw new Refusal({
          kind: "invalid",
          violations: [
            {
              loc: ["body", "filters"],
              msg: `More than ${maxRows} traces are in range. Narrow date_from and date_to.`,
              type: "too_many_rows",
            },
          ],
        });
      };
      const ids: string[] = [];
      for (let next = 0; next < inUse.length; next += parallelDays) {
        const group = inUse.slice(next, next + parallelDays);
        ids.push(...(await Promise.all(group.map((day) => matchingOf(project, day, filter, countRow)))).flat());
      }
      return ids;
    },
  };
};
