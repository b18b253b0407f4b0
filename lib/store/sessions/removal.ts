import * as v from "valibot";
import { instantAt, type Instant } from "../../domain/instant.ts";
import type { TraceRow } from "../../domain/traces/row.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { unpackRow } from "../traces/row-codec.ts";
import { sessionTombstone } from "./tombstone.ts";
import { sessionPartition } from "../traces/keys.ts";
import { traceRemoval } from "../traces/removal.ts";

/** Traces deleted at the same time. */
const parallel = 25;

/** Milliseconds that a request spends on deletions, of the gateway's 29 s; the purge deletes the rest. */
const requestMilliseconds = 20_000;

/** Deletes sessions by deleting their traces. */
export interface SessionRemoval {
  /** Deletes the traces of a session. @returns the number that this call deleted. */
  remove(project: string, session: string): Promise<number>;
}

const expiry = v.object({ ttl: v.optional(v.number()) });

/**
 * Deletes the traces of a session that the index lists and `shouldRemove` selects by their current rows; begins none
 * after `until`, epoch milliseconds.
 */
const removeTracesOfSession = (database: Database, now: () => number) => {
  const traces = traceRemoval(database, now);

  return async (
    project: string,
    session: string,
    shouldRemove: (row: TraceRow) => boolean,
    until: number,
  ): Promise<number> => {
    let deleted = 0;
    const pages = itemsOf(database, "rows").pages({
      index: "by-session",
      where: "s = :s",
      values: { ":s": sessionPartition(project, session) },
    });
    const shouldStillRemove = (row: TraceRow): boolean => row.sessionId === session && shouldRemove(row);
    for await (const { items } of pages) {
      const liveItems = items.filter((item) => (v.parse(expiry, item).ttl ?? Infinity) * 1000 > now());
      for (let start = 0; start < liveItems.length; start += parallel) {
        if (now() > until) return deleted;
        const rows = liveItems.slice(start, start + parallel).map(unpackRow);
        const removed = await Promise.all(rows.map((row) => traces.removeWhile(project, row, shouldStillRemove)));
        deleted += removed.filter(Boolean).length;
      }
    }
    return deleted;
  };
};

/** Deletion of a session within a request. */
export const sessionRemoval = (database: Database, now: () => number = Date.now): SessionRemoval => {
  const removeTraces = removeTracesOfSession(database, now);
  return {
    remove: async (project, session) => {
      const at = now();
      const tombstone = sessionTombstone(database, project, session);
      await tombstone.put(at);
      const deleted = await removeTraces(project, session, () => true, at + requestMilliseconds);
      await tombstone.close(now());
      return deleted;
    },
  };
};

/** Removes the scores of a session that were created before an instant. */
type RemoveScores = (project: string, session: string, before: Instant) => Promise<unknown>;

/** Background purge of a deleted session. */
export const sessionPurge = (database: Database, removeScores: RemoveScores, now: () => number = Date.now) => {
  const removeTraces = removeTracesOfSession(database, now);
  return {
    /**
     * Deletes the session's scores, and traces that the lagging index hid from the request. Traces that changed after
     * `at`, epoch milliseconds, are kept. May be repeated.
     */
    purge: async (project: string, session: string, at: number): Promise<void> => {
      await removeTraces(project, session, ({ changedAt }) => changedAt <= at, Number.POSITIVE_INFINITY);
      await removeScores(project, session, instantAt(at));
    },
  };
};
