import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../database.ts";
import type { Witness } from "../traces/witness.ts";
import { keyOfRow, sessionPartition } from "../traces/keys.ts";
import { traceReader } from "../traces/reader.ts";

/** Where a trace of a session lies, and its row's version there. */
interface SessionTrace extends Witness {
  readonly version: number;
}

export interface SessionRows {
  /** The traces of a session, oldest first, then by id; the index that tells it may lag writes. */
  list(project: string, session: string): Promise<readonly SessionTrace[]>;
  /** A trace of a session that is there for certain; null when there is none. */
  witness(project: string, session: string): Promise<Witness | null>;
}

const indexed = v.object({ sk: v.instance(Uint8Array), i: v.string(), v: v.number(), ttl: v.optional(v.number()) });

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
        ProjectionExpression: "sk, i, #version, #ttl",
        ExpressionAttributeNames: { "#version": "v", "#ttl": "ttl" },
        ExpressionAttributeValues: { ":session": sessionPartition(project, session) },
      },
    );
    for await (const page of pages) {
      for (const item of page.Items ?? []) {
        const { sk, i, v: version, ttl = null } = v.parse(indexed, item);
        if (ttl === null || ttl * 1000 > now()) yield { ...keyOfRow(sk), incarnation: i, version, expiresAt: ttl };
      }
    }
  };

  return {
    list: async (project, session) => {
      const found: SessionTrace[] = [];
      for await (const witness of listed(project, session)) found.push(witness);
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
