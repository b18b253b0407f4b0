import { contentTest, type ScoreFilters } from "../../domain/scores/filter.ts";
import { scoreNumber } from "../../domain/scores/number.ts";
import type { LatestScore } from "../../domain/scores/session-comparison.ts";
import type { Database } from "../../dynamo/database.ts";
import { listBudget, maxListItems } from "../totals/list-budget.ts";
import { newestFirst } from "../totals/newest-first.ts";
import { unpackSessionScore } from "./codec.ts";
import { countEstimates } from "./count-estimates.ts";
import { hasNumber } from "./latest-of-session.ts";
import { allSources } from "./query.ts";

/** Filters for one version of a judge or of a metric. */
type VersionFilters = Pick<ScoreFilters, "judge" | "metric_version">;

/**
 * Returns a function that reads the newest successful score with a number of a name per session, among the scores of one
 * version of a judge or metric, in no particular order. May lag writes by seconds.
 *
 * @throws Refusal `invalid` (from the returned function) when too many scores would be read.
 */
export const latestOfJudge = (database: Database, now: () => number = Date.now, maxRead = maxListItems) => {
  const numbers = countEstimates(database, "session", now);

  return async (project: string, name: string, versions: VersionFilters): Promise<LatestScore[]> => {
    const filter = { name, ...versions, status: "SUCCESS" } as const;
    const refusal = { noun: "scores", loc: ["query", "judge"], advice: "Leave judge and metric_version out." };
    const isOfVersion = contentTest(versions) ?? (() => true);
    listBudget(maxRead, refusal).expect((await numbers(project, filter)).range);
    const latestBySession = new Map<string, LatestScore>();
    const sources = allSources("session", project, filter, now());
    for await (const { d } of newestFirst(database, "scores", sources, { sort: "order_key" })) {
      const unpacked = unpackSessionScore(d);
      const { session_id: session, created_at: at, eval_run_id: run, session_version: version } = unpacked;
      if (latestBySession.has(session) || !hasNumber(unpacked) || !isOfVersion(unpacked)) continue;
      latestBySession.set(session, { session, score: scoreNumber(unpacked), at, run, version });
    }
    return [...latestBySession.values()];
  };
};
