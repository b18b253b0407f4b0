import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../database.ts";
import type { Witness } from "../traces/witness.ts";
import { keyOfRow, sessionPartition } from "../traces/keys.ts";
import { traceReader } from "../traces/reader.ts";

/** Where a trace of a session lies, and the version since which a judge would see the same of it. */
export interface SessionTrace extends Witness {
  readonly contentVersion: number;
}

export interface SessionRows {
  /**
   * The traces of a session, oldest first, then by id; the index that tells it may lag writes.
   *
   * @param most that are read.
   */
  list(project: string, session: string, most?: number): Promise<readonly SessionTrace[]>;
  /** A trace of a session that is there for certain; null when there is none. */
  witness(project: string, session: string): Promise<Witness | null>;
}

const indexed = v.object({
  sk: v.instance(Uint8Array),
  i: v.string(),
  v: v.number(),
  c: v.optional(v.number()),
  ttl: v.optional(v.number()),
});

/** Rows looked at at once for one that is there: nearly every one is. */
const fewRows = 10;

export const sessionRows = (database: Database, now: () => number = Date.now): SessionRows => {
  const { client, table } = database;
  const traces = traceReader(database, now);

  const listed = async function* (project: string, session: string, pageSize?: number): AsyncGenerator<SessionTrace> {
    const pages = paginateQuery(
      { client, ...(pageSize !== undefined && { pageSize }) },
      {
        TableName: table("rows"),
        IndexName: "by-session",
        KeyConditionExpression: "s = :session",
        ProjectionExpression: "sk, i, c, #version, #ttl",
        ExpressionAttributeNames: { "#version": "v", "#ttl": "ttl" },
        ExpressionAttributeValues: { ":session": sessionPartition(project, session) },
      },
    );
    for await (const page of pages) {
      for (const item of page.Items ?? []) {
        const { sk, i, v: version, c: contentVersion = version, ttl = null } = v.parse(indexed, item);
        if (ttl === null || ttl * 1000 > now()) {
          yield { ...keyOfRow(sk), incarnation: i, contentVersion, expiresAt: ttl };
        }
      }
    }
  };

  return {
    list: async (project, session, most = Number.POSITIVE_INFINITY) => {
      const found: SessionTrace[] = [];
      for await (const trace of listed(project, session, Number.isFinite(most) ? most : undefined)) {
        found.push(trace);
        if (found.length >= most) break;
      }
      return found;
    },
    witness: async (project, session) => {
      for await (const { traceId } of listed(project, session, fewRows)) {
        const located = await traces.locate(project, traceId);
        if (located?.row.sessionId !== session) continue;
        const { row, expiresAt } = located;
        return { traceId, startedAt: row.startedAt, incarnation: row.incarnation, expiresAt };
      }
      return null;
    },
  };
};
