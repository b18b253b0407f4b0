import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { hourNumber, hourOf, hourText, type Hour } from "../domain/analytics/bucket.ts";
import type { Database } from "../store/database.ts";
import { facetChecks } from "../store/facet-check.ts";
import { countedRuns } from "../store/runs/counted-list.ts";
import { countedScores } from "../store/scores/counted-list.ts";
import { instantOfOrder, type ScoreTarget } from "../store/scores/keys.ts";
import { allSources } from "../store/scores/query.ts";
import { statisticsCheck } from "../store/scores/statistics-check.ts";
import { countChecks } from "../store/traces/count-check.ts";
import { traceDays } from "../store/traces/days.ts";
import { hourChecking } from "./hour-checking.ts";

const hoursOfDay = 24;

const entry = v.object({ order_key: v.string() });

/** What was compared of a project's sums, all of them, and what of it was wrong. */
export interface RebuiltSums {
  readonly hours: number;
  /** Hours of traces that were computed again. */
  readonly wrongHours: number;
  /** Lists of runs and scores whose totals may be wrong: the sweeper counts them again, and mends them, after ten minutes. */
  readonly doubtfulLists: number;
  readonly scoreHours: number;
  /** Hours of scores whose statistics may be wrong: the sweeper looks at them again, and mends them, after a day. */
  readonly doubtfulScoreHours: number;
}

/**
 * Compares every sum of a project with what it is made of, as the daily sample does for a few. Totals of traces are counted
 * again by the sweeper, from its next minute on. Nothing is taken for wrong that only lags.
 *
 * @returns a function of a project that is there; it says where it is, a line at a time.
 */
export const sumRebuilding = (database: Database, now: () => number = Date.now) => {
  const [days, hours] = [traceDays(database), hourChecking(database, now)];
  const [counts, statistics] = [countChecks(database, now), statisticsCheck(database, now)];
  const lists = facetChecks(
    database,
    [countedRuns(database), countedScores(database, "trace"), countedScores(database, "session")],
    now,
  );
  const ever = Number.POSITIVE_INFINITY;

  /** The hours in which scores were made that are there. */
  const hoursOfScores = async (project: string, target: ScoreTarget): Promise<ReadonlySet<Hour>> => {
    const found = new Set<Hour>();
    for (const source of allSources(target, project, {}, now())) {
      const input = { TableName: database.table("scores"), ...source };
      for await (const { Items = [] } of paginateQuery({ client: database.client }, input))
        for (const item of Items) found.add(hourOf(instantOfOrder(v.parse(entry, item).order_key)));
    }
    return found;
  };

  return async (project: string, tell: (line: string) => void): Promise<RebuiltSums> => {
    const done = { hours: 0, wrongHours: 0, doubtfulLists: 0, scoreHours: 0, doubtfulScoreHours: 0 };
    await counts.begin(project, true);
    for (const day of await days.list(project, true)) {
      tell(`hours of ${day}`);
      for (let hour = 0; hour < hoursOfDay; hour += 1) {
        const found = await hours(project, hourText(hourNumber(`${day}T00`) + hour), ever);
        done.hours += found.hours;
        done.wrongHours += found.wrong;
      }
    }
    tell("totals of runs and scores");
    done.doubtfulLists = (await lists.look(project, ever, true)).doubtful;
    for (const target of ["trace", "session"] as const) {
      tell(`statistics of ${target} scores`);
      for (const hour of await hoursOfScores(project, target)) {
        done.scoreHours += 1;
        if (await statistics.look({ project, target, hour }, ever)) done.doubtfulScoreHours += 1;
      }
    }
    return done;
  };
};
