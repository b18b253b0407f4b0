import { mapConcurrently } from "../../async/concurrency.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import type { Erase } from "../../dynamo/erase-items.ts";
import type { ErasedTraces } from "./erased-traces.ts";
import { scoreRemoval } from "../scores/removal.ts";

/** Sessions processed at the same time. */
const parallel = 10;

/**
 * Removes the scores of sessions that had a trace of the user, also of those with traces of others: their reasons may quote the user.
 *
 * @param grace milliseconds after the removal of a trace in which a judge that has read it may still store a score.
 */
export const eraseSessionScoresOfUser = (database: Database, erased: ErasedTraces, grace: number): Erase => {
  const scores = scoreRemoval(database);
  return async function* (project, place = null) {
    for await (const traces of erased.pages(place)) {
      const sessions = new Map<string, number>();
      for (const { sessionId, erasedAt } of traces)
        if (sessionId !== null) sessions.set(sessionId, Math.max(erasedAt, sessions.get(sessionId) ?? 0));
      const removed = await mapConcurrently(sessions, parallel, ([session, at]) =>
        scores.removeScoresOfSession(project, session, instantAt(at + grace)),
      );
      yield removed.reduce((sum, each) => sum + each, 0);
      const last = traces.at(-1);
      if (last !== undefined) yield { place: last.incarnation };
    }
  };
};
