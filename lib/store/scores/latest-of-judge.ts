import { contentTest, type ScoreFilters } from "../../domain/scores/filter.ts";
import type { LatestScore } from "../../domain/scores/session-comparison.ts";
import type { Database } from "../database.ts";
import { listBudget, maxListed } from "../list-budget.ts";
import { newestFirst } from "../newest-first.ts";
import { unpackSessionScore } from "./codec.ts";
import { scoreNumbers } from "./numbers.ts";
import { allSources } from "./query.ts";

/** What scores are of, one version of each. */
type Versions = Pick<ScoreFilters, "judge" | "metric_version">;

/**
 * The newest successful numeric score of a name that each session has of one version of its judge or of its metric, in no particular order; may
 * lag writes by seconds.
 *
 * @returns a function that throws a Refusal `invalid` when too many scores would have to be read.
 */
export const latestOfJudge = (database: Database, now: () => number = Date.now, mostRead = maxListed) => {
  const numbers = scoreNumbers(database, "session", now);

  return async (project: string, name: string, versions: Versions): Promise<LatestScore[]> => {
    const filter = { name, ...versions, status: "SUCCESS", data_type: "NUMERIC" } as const;
    const refusal = { what: "scores", loc: ["query", "judge"], advice: "Leave judge and metric_version out." };
    const isOfVersion = contentTest(versions) ?? (() => true);
    listBudget(mostRead, refusal).expect((await numbers(project, filter)).range);
    const found = new Map<string, LatestScore>();
    const sources = allSources("session", project, filter, now());
    for await (const { d } of newestFirst(database, "scores", sources, { sort: "order_key" })) {
      const known = unpackSessionScore(d);
      const { session_id: session, value, created_at: at, ...score } = known;
      if (found.has(session) || score.applicable === false || !isOfVersion(known)) continue;
      const { eval_run_id: run, session_version: version } = score;
      found.set(session, { session, score: value === null ? null : Number(value), at, run, version });
    }
    return [...found.values()];
  };
};
