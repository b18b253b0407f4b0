import { mapConcurrently } from "../../async/concurrency.ts";
import { instantAt, type Instant } from "../../domain/instant.ts";
import type { SessionScore } from "../../domain/scores/score.ts";
import { idsIn, omitsTraces } from "../../domain/scores/traces-of-score.ts";
import type { Database } from "../../dynamo/database.ts";
import type { Erase } from "../../dynamo/erase-items.ts";
import type { ErasedTraces } from "./erased-traces.ts";
import type { ExclusiveSessions } from "./exclusive-sessions.ts";
import { copyPartition, scoreOrder, sessionScoreKey } from "../scores/keys.ts";
import { sessionScoreKind } from "../scores/kind.ts";
import { scoreList } from "../scores/list.ts";
import { deletePairs } from "../scores/pairs.ts";
import { scoreRemoval } from "../scores/removal.ts";

/** Sessions processed at the same time. */
const parallel = 10;

/**
 * Removes the scores of sessions that had a trace of the user, also of those with traces of others: their reasons may quote the user. Of
 * these, scores that others made after the request stay, unless they name an erased trace or a run computed them from more traces than
 * they list.
 *
 * @param requestedAt instant of the request.
 * @param grace milliseconds after the removal of a trace in which a judge that has read it may still store a score.
 */
export const eraseSessionScoresOfUser = (
  database: Database,
  erased: ErasedTraces,
  exclusiveAmong: ExclusiveSessions,
  requestedAt: Instant,
  grace: number,
): Erase => {
  const removal = scoreRemoval(database);
  const scores = scoreList(database, sessionScoreKind);

  const concernsErased = async (score: SessionScore): Promise<boolean> =>
    omitsTraces(score) || (await erased.among(idsIn(score))).size > 0;

  /** Removes the scores of a shared session that were made after the request about erased traces. @returns their number. */
  const removeLater = async (project: string, session: string, until: Instant): Promise<number> => {
    const concerned: SessionScore[] = [];
    for await (const score of scores.ofTarget(project, { target_id: session })) {
      if (score.created_at <= requestedAt) break;
      if (score.created_at <= until && (await concernsErased(score))) concerned.push(score);
    }
    const pk = copyPartition("session", project, session);
    const pairs = concerned.map(({ id, created_at: at }) => {
      return { copy: { pk, sk: scoreOrder(at, id) }, score: sessionScoreKey(project, id) };
    });
    await deletePairs(database, pairs);
    return pairs.length;
  };

  return async function* (project, place = null) {
    for await (const traces of erased.pages(place)) {
      const sessions = new Map<string, number>();
      for (const { sessionId, erasedAt } of traces)
        if (sessionId !== null) sessions.set(sessionId, Math.max(erasedAt, sessions.get(sessionId) ?? 0));
      const exclusiveIds = await exclusiveAmong(project, [...sessions.keys()]);
      const removed = await mapConcurrently(sessions, parallel, async ([session, erasedAt]) => {
        const until = instantAt(erasedAt + grace);
        if (exclusiveIds.has(session)) return await removal.removeScoresOfSession(project, session, until);
        const earlier = await removal.removeScoresOfSession(project, session, requestedAt);
        return earlier + (await removeLater(project, session, until));
      });
      yield removed.reduce((sum, each) => sum + each, 0);
      const last = traces.at(-1);
      if (last !== undefined) yield { place: last.incarnation };
    }
  };
};
