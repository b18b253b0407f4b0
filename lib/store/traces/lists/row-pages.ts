import type { SortOrder } from "../../../domain/list-order.ts";
import { dayOf } from "../../../domain/instant.ts";
import { instantPosition, type PageAt, type Position, uuidPosition } from "../../../domain/page.ts";
import { instantBytes } from "../../bytes/instant.ts";
import { uuidBytes } from "../../bytes/text.ts";
import type { Database } from "../../database.ts";
import type { PackedTrace } from "../packed-trace.ts";
import { rawQuery, type RawPage } from "../../raw-query.ts";
import { heldBudget, rowBudget, rowBytes, tooManyRows } from "../row-budget.ts";
import { packedTraceOf } from "../row-scan.ts";
import { traceCounts } from "../counts.ts";
import { traceDays } from "../days.ts";
import { rowPartition } from "../keys.ts";

/** Days read at the same time. */
const parallelDays = 8;

/** Rows asked for at once: a page of 1 MB has fewer, and DynamoDB takes no number beyond 31 bits. */
const pageRows = 10_000;

/** From where rows are read: behind a row of a day. */
interface RowStart {
  readonly day: string;
  readonly sort: Buffer;
}

const startOf = (position: Position): RowStart => {
  const { key, id } = instantPosition(uuidPosition(position));
  return { day: dayOf(key), sort: Buffer.concat([instantBytes(key), uuidBytes(id)]) };
};

/** Pages of all traces of a project by start: what they cost does not depend on how many traces there are. */
export const rowPages = (database: Database, now: () => number, rowLimit: number, heldLimit: number) => {
  const days = traceDays(database);
  const counts = traceCounts(database, now);

  /** Days in use in the order of a list, some at a time. */
  const daysInUse = async function* (
    project: string,
    order: SortOrder,
    first: string | undefined,
  ): AsyncGenerator<readonly string[], undefined> {
    if (order === "asc") {
      const all = (await days.list(project, false)).toReversed();
      yield first === undefined ? all : all.filter((day) => day >= first);
      return;
    }
    for await (const some of days.newest(project)) {
      const wanted = first === undefined ? some : some.filter((day) => day <= first);
      if (wanted.length > 0) yield wanted;
    }
  };

  /** The first rows of a day, `limit` at most. */
  const firstOf = async (
    project: string,
    day: string,
    order: SortOrder,
    start: RowStart | null,
    limit: number,
    count: () => void,
    hold: (bytes: number) => void,
  ): Promise<PackedTrace[]> => {
    const isWithin = start !== null && start.day === day;
    const rows: PackedTrace[] = [];
    let next: RawPage["next"];
    do {
      const page = await rawQuery(database, {
        TableName: database.table("rows"),
        KeyConditionExpression: isWithin ? `pk = :pk AND sk ${order === "asc" ? ">" : "<"} :after` : "pk = :pk",
        ExpressionAttributeValues: {
          ":pk": rowPartition(project, day),
          ...(isWithin && { ":after": start.sort }),
        },
        ProjectionExpression: "sk, d, i, #ttl",
        ExpressionAttributeNames: { "#ttl": "ttl" },
        ScanIndexForward: order === "asc",
        Limit: Math.min(limit - rows.length, pageRows),
        ExclusiveStartKey: next,
      });
      for (const item of page.items) {
        count();
        const trace = packedTraceOf(item, now());
        if (trace === null) continue;
        hold(rowBytes + trace.bytes);
        rows.push(trace);
      }
      next = page.next;
    } while (next !== undefined && rows.length < limit);
    return rows;
  };

  return {
    /**
     * One page, and the number of all traces, which may lag writes by seconds.
     *
     * @throws Refusal `invalid` when more than `rowLimit` rows would have to be read, or those before the page would take
     *   more memory than there is.
     */
    page: async (
      project: string,
      order: SortOrder,
      { limit, offset: before, after }: PageAt,
    ): Promise<{ rows: readonly PackedTrace[]; total: number; last: Position | null }> => {
      const start = after === null ? null : startOf(after);
      // Behind a trace nothing is left out.
      const offset = start === null ? before : 0;
      const groups = daysInUse(project, order, start?.day);
      const [first, counted] = await Promise.all([groups.next(), counts.total(project)]);
      // So far beyond the end that nothing has to be read to know it.
      if (counted >= rowLimit && offset >= counted) return { rows: [], total: counted, last: null };
      const bounds = [["query", "offset"], "started_after and started_before"] as const;
      if (Math.min(counted, offset) > rowLimit) throw tooManyRows(rowLimit, ...bounds);
      const count = rowBudget(rowLimit, ...bounds);
      const wanted = offset + limit;
      const page: PackedTrace[] = [];
      let [read, looked] = [0, 0];
      for (let group = first; group.done !== true && read < wanted;) {
        for (let next = 0; next < group.value.length && read < wanted;) {
          const left = wanted - read;
          // As many days at a time as the days before let expect: what is read too much is paid for too.
          const width = looked === 0 ? 1 : Math.min(parallelDays, Math.ceil((left * looked) / Math.max(1, read)));
          const some = group.value.slice(next, next + width);
          const hold = heldBudget(heldLimit, "traces before this page", ["query", "offset"], "offset");
          for (const found of await Promise.all(
            some.map((day) => firstOf(project, day, order, start, left, count, hold)),
          )) {
            page.push(...found.slice(Math.max(0, offset - read), Math.max(0, wanted - read)));
            read += found.length;
          }
          next += some.length;
          looked += some.length;
        }
        if (read < wanted) group = await groups.next();
      }
      const seen = page.length === 0 ? Math.min(before, read) : before + page.length;
      const end = read < wanted ? undefined : page.at(-1);
      return {
        rows: page,
        // A list read to its end has been counted while it was read, from wherever it was read.
        total: read < wanted && start === null ? read : Math.max(counted, seen),
        last: end === undefined ? null : { key: end.startedAt, id: end.traceId },
      };
    },
  };
};
