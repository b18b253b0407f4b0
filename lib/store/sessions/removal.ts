import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { instantAt, type Instant } from "../../domain/instant.ts";
import type { TraceRow } from "../../domain/traces/row.ts";
import type { Database } from "../database.ts";
import { unpackRow } from "../traces/row-codec.ts";
import { sessionTombstone } from "./tombstone.ts";
import { sessionPartition } from "../traces/keys.ts";
import { traceRemoval } from "../traces/removal.ts";

/** Traces deleted at a time. */
const parallel = 25;

/** What a request may take of the gateway's 29 s; the purge does the rest. */
const requestMilliseconds = 20_000;

export interface SessionRemoval {
  /** Deletes the traces of a session. @returns how many this call deleted. */
  remove(project: string, session: string): Promise<number>;
}

const expiry = v.object({ ttl: v.optional(v.number()) });

/** Deletes the traces that the index has of a session, those that match when they are looked at. */
const removal = ({ client, table }: Database, now: () => number) => {
  const traces = traceRemoval({ client, table }, now);

  return async (
    project: string,
    session: string,
    doomed: (row: TraceRow) => boolean,
    until: number,
  ): Promise<number> => {
    let deleted = 0;
    const pages = paginateQuery(
      { client },
      {
        TableName: table("rows"),
        IndexName: "by-session",
        KeyConditionExpression: "s = :s",
        ExpressionAttributeValues: { ":s": sessionPartition(project, session) },
      },
    );
    const stillDoomed = (row: TraceRow): boolean => row.sessionId === session && doomed(row);
    for await (const { Items = [] } of pages) {
      const there = Items.filter((item) => (v.parse(expiry, item).ttl ?? Infinity) * 1000 > now());
      for (let start = 0; start < there.length; start += parallel) {
        if (now() > until) return deleted;
        const rows = there.slice(start, start + parallel).map(unpackRow);
        const removed = await Promise.all(rows.map((row) => traces.removeWhile(project, row, stillDoomed)));
        deleted += removed.filter(Boolean).length;
      }
    }
    return deleted;
  };
};

/** What the request does that deletes a session. */
export const sessionRemoval = (database: Database, now: () => number = Date.now): SessionRemoval => {
  const removeTraces = removal(database, now);
  return {
    remove: async (project, session) => {
      const at = now();
      const tombstone = sessionTombstone(database, project, session);
      await tombstone.lay(at);
      const deleted = await removeTraces(project, session, () => true, at + requestMilliseconds);
      await tombstone.close(now());
      return deleted;
    },
  };
};

/** Removes the scores of a session that were made before an instant. */
type RemoveScores = (project: string, session: string, before: Instant) => Promise<void>;

/** What the purge does for a deleted session. */
export const sessionPurge = (database: Database, removeScores: RemoveScores, now: () => number = Date.now) => {
  const removeTraces = removal(database, now);
  return {
    /**
     * Deletes what an index that lagged hid from the request, and the session's scores; what changed after `at`, epoch
     * milliseconds, is spared. May be repeated.
     */
    purge: async (project: string, session: string, at: number): Promise<void> => {
      await removeTraces(project, session, ({ changedAt }) => changedAt <= at, Number.POSITIVE_INFINITY);
      await removeScores(project, session, instantAt(at));
    },
  };
};
