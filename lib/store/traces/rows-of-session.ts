import type { Database } from "../database.ts";
import { instantBytes } from "../bytes/instant.ts";
import { uuidBytes } from "../bytes/text.ts";
import type { PackedTrace } from "./packed-trace.ts";
import { rawQuery, type RawItem, type RawPage } from "../raw-query.ts";
import { packedTraceOf, type StartRange } from "./row-scan.ts";
import { sessionPartition } from "./keys.ts";

/** Bounds of every sort key of a row. */
const lowest = Buffer.alloc(8);
const highest = Buffer.alloc(8, 0xff);

/** Rows of a session by sort key: from `from` on, before `to`; null for no bound. */
export interface KeyRange {
  readonly from: Buffer | null;
  readonly to: Buffer | null;
}

export interface SessionRow {
  readonly trace: PackedTrace;
  readonly version: number;
  /** Epoch seconds; null when it is kept. */
  readonly expiresAt: number | null;
}

/** Rows of a session, and where the next ones begin; undefined after the last. */
export interface SessionPage {
  readonly rows: readonly SessionRow[];
  readonly next: RawPage["next"];
}

/** Which page of a range: the one that begins at `next`, of `most` rows or as many as a page may have. */
interface PagePlace {
  readonly next?: RawPage["next"];
  readonly most?: number | undefined;
}

const isOf = (project: string, { pk }: RawItem): boolean =>
  pk?.B !== undefined && Buffer.from(pk.B, "base64").subarray(0, 16).equals(uuidBytes(project));

/**
 * Reads a page of a session's rows, by start and id, as their index has them: it lags behind the table by moments. Sessions
 * are told apart by a hash there; what is another's is left out.
 */
export const sessionPages =
  (database: Database, now: () => number = Date.now) =>
  async (
    project: string,
    session: string,
    { from, to }: KeyRange,
    { next, most }: PagePlace = {},
  ): Promise<SessionPage> => {
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
      Limit: most,
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

export type SessionPages = ReturnType<typeof sessionPages>;

/** Reads the rows of a session that start in a range. */
export const sessionIndex = (database: Database, now: () => number = Date.now) => {
  const pages = sessionPages(database, now);

  return async (
    project: string,
    session: string,
    { from, to }: StartRange,
    see: (trace: PackedTrace) => void,
  ): Promise<void> => {
    // DynamoDB refuses a range whose ends are in the wrong order.
    if (from !== null && to !== null && from >= to) return;
    // A row's sort key is longer than its instant: one that starts at `to` is beyond.
    const range = { from: from === null ? null : instantBytes(from), to: to === null ? null : instantBytes(to) };
    let next: RawPage["next"];
    do {
      const page = await pages(project, session, range, { next });
      for (const { trace } of page.rows) see(trace);
      next = page.next;
    } while (next !== undefined);
  };
};
