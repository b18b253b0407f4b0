import * as v from "valibot";
import { hourNumber, hourOf, hourText, type Hour } from "../domain/analytics/bucket.ts";
import type { Database } from "../dynamo/database.ts";
import { itemsOf } from "../dynamo/items.ts";
import { facetChecks } from "../store/totals/facet-check.ts";
import { countedLists } from "../store/runs/counted-list.ts";
import { instantOfOrder, type ScoreTarget } from "../store/scores/keys.ts";
import { allSources } from "../store/scores/query.ts";
import { statisticsCheck } from "../store/scores/statistics-check.ts";
import { countChecks } from "../store/traces/count-check.ts";
import { traceDays } from "../store/traces/days.ts";
import { hourChecker } from "./check-hour.ts";

const hoursOfDay = 24;

const entry = v.object({ order_key: v.string() });

/** Number of a project's sums that were compared, and of those that may be wrong. */
export interface RebuiltSums {
  readonly hours: number;
  /** Hours of traces whose rollups were wrong and were computed again. */
  readonly wrongHours: number;
  /** Lists of runs and scores whose totals may be wrong: the sweeper counts and repairs them after ten minutes. */
  readonly doubtfulLists: number;
  readonly scoreHours: number;
  /** Hours of scores whose statistics may be wrong: the sweeper checks and repairs them after a day. */
  readonly doubtfulScoreHours: number;
}

/**
 * Compares every sum of a project with its source items, as the daily sample does for a few. Totals of traces are counted
 * again by the sweeper, starting with its next run. Sums that only lag are not repaired.
 *
 * @returns a function that checks an existing project and reports its progress line by line.
 */
export const sumRebuild = (database: Database, now: () => number = Date.now) => {
  const [days, hours] = [traceDays(database), hourChecker(database, now)];
  const [countCheck, statistics] = [countChecks(database, now), statisticsCheck(database, now)];
  const lists = facetChecks(database, countedLists(database), now);
  const noDeadline = Number.POSITIVE_INFINITY;

  /** Returns the hours in which the project's existing scores were created. */
  const hoursOfScores = async (project: string, target: ScoreTarget): Promise<ReadonlySet<Hour>> => {
    const scoreHours = new Set<Hour>();
    for (const source of allSources(target, project, {}, now())) {
      for await (const item of itemsOf(database, "scores").query(source))
        scoreHours.add(hourOf(instantOfOrder(v.parse(entry, item).order_key)));
    }
    return scoreHours;
  };

  return async (project: string, reportProgress: (line: string) => void): Promise<RebuiltSums> => {
    const counts = { hours: 0, wrongHours: 0, doubtfulLists: 0, scoreHours: 0, doubtfulScoreHours: 0 };
    await countCheck.begin(project, true);
    for (const { day, partitions } of await days.list(project, true)) {
      reportProgress(`hours of ${day}`);
      for (let hour = 0; hour < hoursOfDay; hour += 1) {
        for (const partition of partitions.keys()) {
          const name = hourText(hourNumber(`${day}T00`) + hour);
          const hourCheck = await hours(project, partition, name, noDeadline);
          counts.hours += hourCheck.hours;
          counts.wrongHours += hourCheck.wrong;
        }
      }
    }
    reportProgress("totals of runs and scores");
    counts.doubtfulLists = (await lists.check(project, noDeadline, true)).doubtful;
    for (const target of ["trace", "session"] as const) {
      reportProgress(`statistics of ${target} scores`);
      for (const hour of await hoursOfScores(project, target)) {
        counts.scoreHours += 1;
        if (await statistics.check({ project, target, hour }, noDeadline)) counts.doubtfulScoreHours += 1;
      }
    }
    return counts;
  };
};
