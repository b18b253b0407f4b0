import type { Database } from "../../dynamo/database.ts";
import { facetCounts, sumMatching } from "../totals/facets.ts";
import {
  allScores,
  firstDay,
  fitsFacet,
  lastDay,
  scoreCountsPartition,
  scoresOfDay,
  scoresOfName,
  scoresOfRun,
} from "./counts.ts";
import type { ScoreTarget } from "./keys.ts";
import type { ScoreFilter } from "./query.ts";

/** Estimates for a score filter, from counters. */
export interface CountEstimate {
  /** Max scores that would be read for the filter. */
  readonly range: number;
  /** Number of matching scores; null when no counter has it. */
  readonly matching: number | null;
}

/**
 * Returns a function that estimates the counts of a filter of scores of one kind; counters may lag writes by seconds. Its
 * `isFailedOnly` is true if only the list of failed scores is read.
 */
export const countEstimates = (database: Database, target: ScoreTarget, now: () => number) => {
  const counts = facetCounts(database, now);

  return async (project: string, filter: ScoreFilter, isFailedOnly = false): Promise<CountEstimate> => {
    const { name, eval_run_id: run, environment, judge, date_from: from, date_to: to } = filter;
    const isDated = from !== undefined || to !== undefined;
    const partition = scoreCountsPartition(target, project);
    const ofRun = async (run: string): Promise<number> => {
      // The index by run has scores of traces and of sessions.
      const both = (["trace", "session"] as const).map((each) => scoreCountsPartition(each, project));
      const sums = await Promise.all(both.map((each) => counts.ofScope(each, scoresOfRun(run))));
      return sums.reduce((sum, each) => sum + sumMatching(each), 0);
    };
    const ofDays = (): Promise<number> =>
      counts.ofScopes(
        partition,
        from === undefined ? firstDay : scoresOfDay(from),
        to === undefined ? lastDay : scoresOfDay(to),
      );
    const isCounted =
      environment === undefined && judge === undefined && !isDated && (name === undefined || run === undefined);
    const scope = run === undefined ? (name === undefined ? allScores : scoresOfName(name)) : scoresOfRun(run);
    const isRead = fitsFacet(isFailedOnly ? { status: "FAILED" } : {});
    const [sums, scopeTotal, days] = await Promise.all([
      isCounted ? counts.ofScope(partition, scope) : null,
      run !== undefined
        ? ofRun(run)
        : counts.ofScope(partition, allScores).then((facetSums) => sumMatching(facetSums, isRead)),
      isDated ? ofDays() : Number.POSITIVE_INFINITY,
    ]);
    return {
      range: Math.max(0, Math.min(scopeTotal, days)),
      matching: sums === null ? null : sumMatching(sums, fitsFacet(filter)),
    };
  };
};
