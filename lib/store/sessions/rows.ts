import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import type { IncarnationCheck } from "../traces/incarnation-check.ts";
import { keyOfRow, sessionPartition } from "../traces/keys.ts";
import { traceReader } from "../traces/reader.ts";

/** Row location and incarnation of a session's trace, and the version of its last change that a judge can see. */
export interface SessionTrace extends IncarnationCheck {
  readonly contentVersion: number;
}

/** Reader of the traces of a session from the index of rows by session. */
export interface SessionRows {
  /**
   * Returns the traces of a session, oldest first, then by id; the index may lag writes.
   *
   * @param limit number of traces at most.
   */
  list(project: string, session: string, limit?: number): Promise<readonly SessionTrace[]>;
  /**
   * Returns a trace of the session whose existence a strongly consistent read has confirmed; null when there is none.
   */
  incarnationCheck(project: string, session: string): Promise<IncarnationCheck | null>;
}

const indexItem = v.object({
  sk: v.instance(Uint8Array),
  i: v.string(),
  v: v.number(),
  c: v.optional(v.number()),
  ttl: v.optional(v.number()),
});

/** Index entries read per request in the search for one existing row: nearly every entry has a row. */
const rowsPerRead = 10;

export const sessionRows = (database: Database, now: () => number = Date.now): SessionRows => {
  const traces = traceReader(database, now);

  const rowsInIndex = async function* (project: string, session: string, limit?: number): AsyncGenerator<SessionTrace> {
    const items = itemsOf(database, "rows").query({
      index: "by-session",
      where: "s = :session",
      values: { ":session": sessionPartition(project, session) },
      attributes: "sk, i, c, #v, #ttl",
      limit,
    });
    for await (const item of items) {
      const { sk, i, v: version, c: contentVersion = version, ttl = null } = v.parse(indexItem, item);
      if (ttl === null || ttl * 1000 > now()) {
        yield { ...keyOfRow(sk), incarnation: i, contentVersion, expiresAt: ttl };
      }
    }
  };

  return {
    list: async (project, session, limit = Number.POSITIVE_INFINITY) => {
      const traces: SessionTrace[] = [];
      for await (const trace of rowsInIndex(project, session, Number.isFinite(limit) ? limit : undefined)) {
        traces.push(trace);
        if (traces.length >= limit) break;
      }
      return traces;
    },
    incarnationCheck: async (project, session) => {
      for await (const { traceId } of rowsInIndex(project, session, rowsPerRead)) {
        const located = await traces.locate(project, traceId);
        if (located?.row.sessionId !== session) continue;
        const { row, expiresAt } = located;
        return { traceId, startedAt: row.startedAt, incarnation: row.incarnation, expiresAt };
      }
      return null;
    },
  };
};
