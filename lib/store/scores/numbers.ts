import type { Database } from "../database.ts";
import { facetCounts, numberOf } from "../facets.ts";
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

/** What counters say of a filter. */
interface ScoreNumbers {
  /** Scores in the range that would have to be read for it, at most. */
  readonly range: number;
  /** Those that match; null where no counter tells. */
  readonly matching: number | null;
}

/** Makes the function that asks the counters about a filter of scores of a kind; they may lag writes by seconds. */
export const scoreNumbers = (database: Database, target: ScoreTarget, now: () => number) => {
  const counts = facetCounts(database, now);

  return async (project: string, filter: ScoreFilter): Promise<ScoreNumbers> => {
    const { name, eval_run_id: run, environment, judge, date_from: from, date_to: to } = filter;
    const isDated = from !== undefined || to !== undefined;
    const partition = scoreCountsPartition(target, project);
    const ofRun = async (run: string): Promise<number> => {
      // An index by run has both kinds.
      const both = (["trace", "session"] as const).map((each) => scoreCountsPartition(each, project));
      const sums = await Promise.all(both.map((each) => counts.ofScope(each, scoresOfRun(run))));
      return sums.reduce((sum, each) => sum + numberOf(each), 0);
    };
    const ofDays = (): Promise<number> =>
      counts.ofScopes(
        partition,
        from === undefined ? firstDay : scoresOfDay(from),
        to === undefined ? lastDay : scoresOfDay(to),
      );
    const isTold =
      environment === undefined && judge === undefined && !isDated && (name === undefined || run === undefined);
    const scope = run === undefined ? (name === undefined ? allScores : scoresOfName(name)) : scoresOfRun(run);
    const [sums, all, days] = await Promise.all([
      isTold ? counts.ofScope(partition, scope) : null,
      run !== undefined ? ofRun(run) : counts.ofScope(partition, allScores).then((found) => numberOf(found)),
      isDated ? ofDays() : Number.POSITIVE_INFINITY,
    ]);
    return {
      range: Math.max(0, Math.min(all, days)),
      matching: sums === null ? null : numberOf(sums, fitsFacet(filter)),
    };
  };
};
