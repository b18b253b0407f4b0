import type { Database } from "../../dynamo/database.ts";
import { instantBytes } from "../../dynamo/bytes/instant.ts";
import { uuidBytes } from "../../dynamo/bytes/text.ts";
import type { PackedTrace } from "./packed-trace.ts";
import { rawQuery, type RawItem, type RawPage } from "../../dynamo/raw-query.ts";
import { packedTraceOf, type StartRange } from "./row-scan.ts";
import { sessionPartition } from "./keys.ts";

/** Lowest and highest instant in the sort key of a row. */
const lowest = Buffer.alloc(8);
const highest = Buffer.alloc(8, 0xff);

/** A range of sort keys of rows: `from` inclusive, `to` exclusive; null for no bound. */
export interface KeyRange {
  readonly from: Buffer | null;
  readonly to: Buffer | null;
}

/** A trace row of a session. */
export interface SessionRow {
  readonly trace: PackedTrace;
  readonly version: number;
  /** Expiry of the row, epoch seconds; null if it never expires. */
  readonly expiresAt: number | null;
}

/** A page of a session's rows, and the start key of the next page; undefined after the last. */
export interface SessionRowPage {
  readonly rows: readonly SessionRow[];
  readonly next: RawPage["next"];
}

/** A page of a key range: its start key, and its maximum number of rows; a page without a maximum has up to 1 MB. */
interface PagePosition {
  readonly next?: RawPage["next"];
  readonly limit?: number | undefined;
}

const isOf = (project: string, { pk }: RawItem): boolean =>
  pk?.B !== undefined && Buffer.from(pk.B, "base64").subarray(0, 16).equals(uuidBytes(project));

/**
 * Returns a function that reads a page of a session's rows by start and id, from an index that lags the table by
 * moments. The index identifies sessions by a hash, so rows of other sessions are filtered out.
 */
export const sessionRowPages =
  (database: Database, now: () => number = Date.now) =>
  async (
    project: string,
    session: string,
    { from, to }: KeyRange,
    { next, limit }: PagePosition = {},
  ): Promise<SessionRowPage> => {
    const page = await rawQuery(database, {
      TableName: database.table("rows"),
      IndexName: "by-session",
      KeyConditionExpression: "s = :s AND sk BETWEEN :from AND :to",
      ExpressionAttributeValues: {
        ":s": sessionPartition(project, session),
        ":from": from ?? lowest,
        ":to": to ?? highest,
      },
      ProjectionExpression: "pk, sk, d, i, v, #ttl",
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ExclusiveStartKey: next,
      Limit: limit,
    });
    const rows = page.items.flatMap((item): SessionRow | readonly [] => {
      const trace = isOf(project, item) ? packedTraceOf(item, now()) : null;
      if (trace?.sessionId !== session || (to !== null && Buffer.compare(trace.key, to) >= 0)) return [];
      return {
        trace,
        version: Number(item["v"]?.N),
        expiresAt: item["ttl"]?.N === undefined ? null : Number(item["ttl"].N),
      };
    });
    return { rows, next: page.next };
  };

export type SessionRowPages = ReturnType<typeof sessionRowPages>;

/** Returns a function that calls `visit` with each trace row of a session that starts in a range. */
export const rowsOfSession = (database: Database, now: () => number = Date.now) => {
  const pages = sessionRowPages(database, now);

  return async (
    project: string,
    session: string,
    { from, to }: StartRange,
    visit: (trace: PackedTrace) => void,
  ): Promise<void> => {
    // DynamoDB refuses a range whose end is before its start.
    if (from !== null && to !== null && from >= to) return;
    // A row's sort key is longer than an instant, so BETWEEN excludes rows that start exactly at `to`.
    const range = { from: from === null ? null : instantBytes(from), to: to === null ? null : instantBytes(to) };
    let next: RawPage["next"];
    do {
      const page = await pages(project, session, range, { next });
      for (const { trace } of page.rows) visit(trace);
      next = page.next;
    } while (next !== undefined);
  };
};
