import type { SortOrder } from "../../../domain/list-order.ts";
import { dayOf } from "../../../domain/instant.ts";
import { instantPosition, type PageRequest, type Position, uuidPosition } from "../../../domain/page.ts";
import { instantBytes } from "../../../dynamo/bytes/instant.ts";
import { uuidBytes } from "../../../dynamo/bytes/text.ts";
import type { Database } from "../../../dynamo/database.ts";
import type { PackedTrace } from "../packed-trace.ts";
import { rawQuery, type RawPage } from "../../../dynamo/raw-query.ts";
import { memoryBudget, rowBudget, rowBytes, tooManyRows, packedTraceOf } from "../row-scan.ts";
import { traceCounts } from "../counts.ts";
import { traceDays, type TraceDay } from "../days.ts";
import { mergedRows } from "../merged-rows.ts";

/** Days read at the same time. */
const parallelDays = 8;

/** Maximum rows per request: a page of 1 MB has fewer, and DynamoDB accepts no limit beyond 31 bits. */
const pageRows = 10_000;

/** Trace row after which a page starts. */
interface RowStart {
  readonly day: string;
  readonly sort: Buffer;
}

/** Returns the sort key of the row at a position of a list by start. @throws Refusal `invalid` if no such list has the position. */
export const keyOfPosition = (position: Position): Buffer => {
  const { key, id } = instantPosition(uuidPosition(position));
  return Buffer.concat([instantBytes(key), uuidBytes(id)]);
};

const startOf = (position: Position): RowStart => ({
  day: dayOf(instantPosition(position).key),
  sort: keyOfPosition(position),
});

/** Reader of pages of all traces of a project by start; the cost of a page does not depend on the number of traces. */
export const rowPages = (database: Database, now: () => number, rowLimit: number, memoryLimit: number) => {
  const days = traceDays(database);
  const counts = traceCounts(database, now);

  /** Yields the days with traces in the order of a list, in groups. */
  const daysInUse = async function* (
    project: string,
    order: SortOrder,
    first: string | undefined,
  ): AsyncGenerator<readonly TraceDay[], undefined> {
    if (order === "asc") {
      const allDays = (await days.list(project, false)).toReversed();
      yield first === undefined ? allDays : allDays.filter(({ day }) => day >= first);
      return;
    }
    for await (const newestDays of days.newest(project)) {
      const daysFromFirst = first === undefined ? newestDays : newestDays.filter(({ day }) => day <= first);
      if (daysFromFirst.length > 0) yield daysFromFirst;
    }
  };

  /** Returns the first rows of a day, at most `limit`. */
  const firstRows = async (
    { day, partitions }: TraceDay,
    order: SortOrder,
    start: RowStart | null,
    limit: number,
    countRow: () => void,
    addBytes: (bytes: number) => void,
  ): Promise<PackedTrace[]> => {
    const isWithin = start !== null && start.day === day;
    const readers = partitions.map((pk) => {
      let next: RawPage["next"];
      return async (pageSize: number) => {
        const page = await rawQuery(database, {
          TableName: database.table("rows"),
          KeyConditionExpression: isWithin ? `pk = :pk AND sk ${order === "asc" ? ">" : "<"} :after` : "pk = :pk",
          ExpressionAttributeValues: { ":pk": pk, ...(isWithin && { ":after": start.sort }) },
          ProjectionExpression: "sk, d, i, #ttl",
          ExpressionAttributeNames: { "#ttl": "ttl" },
          ScanIndexForward: order === "asc",
          Limit: Math.min(pageSize, pageRows),
          ExclusiveStartKey: next,
        });
        next = page.next;
        const rows = page.items.flatMap((item) => {
          countRow();
          const trace = packedTraceOf(item, now());
          if (trace === null) return [];
          addBytes(rowBytes + trace.bytes);
          return [trace];
        });
        return { rows, isLast: next === undefined };
      };
    });
    const rows: PackedTrace[] = [];
    for await (const batch of mergedRows(readers, order, limit)) rows.push(...batch);
    return rows;
  };

  return {
    /**
     * Returns one page of traces, and the total, which may lag writes by seconds.
     *
     * @throws Refusal `invalid` when more than `rowLimit` rows would have to be read, or the traces before the page
     *   exceed the memory limit.
     */
    page: async (
      project: string,
      order: SortOrder,
      { limit, offset: before, after }: PageRequest,
    ): Promise<{ rows: readonly PackedTrace[]; total: number; last: Position | null }> => {
      const start = after === null ? null : startOf(after);
      // A page requested by cursor (`start`) has no offset.
      const offset = start === null ? before : 0;
      const groups = daysInUse(project, order, start?.day);
      const [first, counterTotal] = await Promise.all([groups.next(), counts.total(project)]);
      // The offset is so far beyond the end that nothing needs to be read.
      if (counterTotal >= rowLimit && offset >= counterTotal) return { rows: [], total: counterTotal, last: null };
      const bounds = [["query", "offset"], "started_after and started_before"] as const;
      if (Math.min(counterTotal, offset) > rowLimit) throw tooManyRows(rowLimit, ...bounds);
      const countRow = rowBudget(rowLimit, ...bounds);
      const endOffset = offset + limit;
      const page: PackedTrace[] = [];
      let [rowsRead, daysRead] = [0, 0];
      for (let group = first; group.done !== true && rowsRead < endOffset;) {
        for (let next = 0; next < group.value.length && rowsRead < endOffset;) {
          const missingRows = endOffset - rowsRead;
          // The average rows of the days read so far determine how many days are read next: unneeded rows cost money,
          // too.
          const width =
            daysRead === 0 ? 1 : Math.min(parallelDays, Math.ceil((missingRows * daysRead) / Math.max(1, rowsRead)));
          const nextDays = group.value.slice(next, next + width);
          const addBytes = memoryBudget(memoryLimit, "traces before this page", ["query", "offset"], "offset");
          for (const dayRows of await Promise.all(
            nextDays.map((day) => firstRows(day, order, start, missingRows, countRow, addBytes)),
          )) {
            page.push(...dayRows.slice(Math.max(0, offset - rowsRead), Math.max(0, endOffset - rowsRead)));
            rowsRead += dayRows.length;
          }
          next += nextDays.length;
          daysRead += nextDays.length;
        }
        if (rowsRead < endOffset) group = await groups.next();
      }
      const minTotal = page.length === 0 ? Math.min(before, rowsRead) : before + page.length;
      const end = rowsRead < endOffset ? undefined : page.at(-1);
      return {
        rows: page,
        // A list read from its beginning to its end gives the exact total.
        total: rowsRead < endOffset && start === null ? rowsRead : Math.max(counterTotal, minTotal),
        last: end === undefined ? null : { key: end.startedAt, id: end.traceId },
      };
    },
  };
};
