import type { Database } from "../../dynamo/database.ts";
import type { RawPage } from "../../dynamo/raw-query.ts";
import type { ErasedTraces } from "./erased-traces.ts";
import { sessionRowPages } from "../traces/rows-of-session.ts";

/**
 * Returns a function that returns those of some sessions that had a trace which the erasure removes, and have none any more: nobody else
 * had them. The index of sessions lags by moments; a session that still counts as shared is found by the next pass.
 */
export const exclusiveSessions = (database: Database, erased: ErasedTraces) => {
  const rows = sessionRowPages(database);

  const isEmpty = async (project: string, session: string): Promise<boolean> => {
    let next: RawPage["next"];
    do {
      const page = await rows(project, session, { from: null, to: null }, { next, limit: 100 });
      if (page.rows.length > 0) return false;
      next = page.next;
    } while (next !== undefined);
    return true;
  };

  return async (project: string, sessions: readonly string[]): Promise<ReadonlySet<string>> => {
    const exclusiveIds = new Set<string>();
    for (const session of await erased.sessionsAmong(sessions))
      if (await isEmpty(project, session)) exclusiveIds.add(session);
    return exclusiveIds;
  };
};

export type ExclusiveSessions = ReturnType<typeof exclusiveSessions>;
