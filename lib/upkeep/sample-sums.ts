import { inTurns, throwFailures } from "../async/in-turns.ts";
import { livingProjects } from "../store/access/living-projects.ts";
import { cursorStore } from "../store/cursor.ts";
import type { Database } from "../store/database.ts";
import { facetChecks, type FacetNote } from "../store/facet-check.ts";
import { sampleTurn } from "../store/hours/sample-turn.ts";
import { countedRuns } from "../store/runs/counted-list.ts";
import { countedScores } from "../store/scores/counted-list.ts";
import { randomScoreHour } from "../store/scores/random-hour.ts";
import { statisticsCheck, type ScoreNote } from "../store/scores/statistics-check.ts";
import { countChecks, type CountCheck } from "../store/traces/count-check.ts";
import { randomDay } from "../store/hours/random-day.ts";
import { hourChecking, nothingChecked, tellMended } from "./hour-checking.ts";
import { samplePlace, samplePlan, type SampleStep } from "./sample-plan.ts";

/** What a part of a sample did. */
export interface SumSample {
  readonly days: number;
  readonly hours: number;
  /** Hours whose sums were not those of their rows. */
  readonly wrongHours: number;
  /** Projects, or lists of one, whose counters may not be those of their rows or items: they are counted again. */
  readonly doubtfulCounts: number;
  /** Projects, or lists of one, whose counters were mended. */
  readonly wrongCounts: number;
  /** Hours of scores whose statistics may not be those of the scores: they are looked at again, a day later. */
  readonly doubtfulScores: number;
  /** Names of scores whose statistics of an hour were mended. */
  readonly wrongScores: number;
  /** Hours, of traces or scores, and lists with more than a turn had time for. */
  readonly cut: number;
}

/**
 * Compares what is computed and folded with what it is made of, each day for some days of some projects, a little at a time:
 * the hours of traces, the counters of traces, runs and scores, and the statistics of scores. What differs is logged and mended.
 */
export const sumSampling = (database: Database, now: () => number = Date.now) => {
  const hours = hourChecking(database, now);
  const [counts, statistics] = [countChecks(database, now), statisticsCheck(database, now)];
  const lists = facetChecks(
    database,
    [countedRuns(database), countedScores(database, "trace"), countedScores(database, "session")],
    now,
  );
  const [turn, living] = [sampleTurn(database, now), livingProjects(database)];
  const cursor = cursorStore(database, samplePlace, now);

  /** Nobody looks for what is written of a deleted project later than its deletion does. */
  const isAlive = async (project: string): Promise<boolean> => (await living([project])).has(project);

  /** @param budget milliseconds, a quarter of which every kind of sums has; one page of what is read may come after them. */
  return async (budget: number): Promise<SumSample> => {
    const done = {
      days: 0,
      hours: 0,
      wrongHours: 0,
      doubtfulCounts: 0,
      wrongCounts: 0,
      doubtfulScores: 0,
      wrongScores: 0,
      cut: 0,
    };
    const share = budget / 4;
    const plan = samplePlan(cursor, () => turn.take());

    const draw = async (until: number): Promise<void> => {
      const place = await randomDay(database);
      if (place !== null) {
        done.days += 1;
        if ((await isAlive(place.project)) && (await plan.look(place))) await counts.begin(place.project);
      }
      const scored = await randomScoreHour(database);
      for (const project of new Set([place?.project, scored?.project].filter((each) => each !== undefined))) {
        if (!(await isAlive(project))) continue;
        const { doubtful, cut } = await lists.look(project, until);
        done.doubtfulCounts += doubtful;
        done.cut += cut;
      }
      if (scored === null || !(await isAlive(scored.project))) return;
      const isWrong = await statistics.look(scored, until);
      if (isWrong === null) done.cut += 1;
      else if (isWrong) done.doubtfulScores += 1;
    };

    /** @returns false when there was no time for all of the hour. */
    const checkHour = async (project: string, hour: string, until: number): Promise<boolean> => {
      const checked = (await isAlive(project)) ? await hours(project, hour, until) : nothingChecked;
      done.hours += checked.hours;
      done.wrongHours += checked.wrong;
      return checked.isWhole;
    };

    let steps = 0;
    const take = async (step: SampleStep, until: number): Promise<void> => {
      steps += 1;
      if (step.kind === "draw") return await draw(until);
      const { project, hour } = step;
      if (await checkHour(project, hour, until)) return;
      // What came last begins the next part of the sample; what had all the time there is does not again.
      if (steps > 1) await plan.putBack(project, hour);
      else done.cut += 1;
    };

    const count = async (check: CountCheck, until: number): Promise<void> => {
      if (!(await isAlive(check.project))) return void (await counts.drop(check));
      const finding = await counts.step(check, until);
      if (finding === "doubtful") done.doubtfulCounts += 1;
      if (finding !== "mended") return;
      done.wrongCounts += 1;
      tellMended(check.project, { sum: "count" });
    };

    const mendScores = async (note: ScoreNote, until: number): Promise<void> => {
      if (!(await isAlive(note.project))) return;
      const names = await statistics.mend(note, until);
      done.wrongScores += names;
      if (names > 0) tellMended(note.project, { sum: "scores", hour: note.hour });
    };

    const mendList = async (note: FacetNote, until: number): Promise<void> => {
      if (!(await isAlive(note.project)) || (await lists.mend(note, until)) === 0) return;
      done.wrongCounts += 1;
      tellMended(note.project, { sum: "total", list: note.list.name });
    };

    const untilAfter = (): { readonly until: number; readonly now: () => number } => ({ until: now() + share, now });
    const sampled = await inTurns(plan.steps(), take, { ...untilAfter(), touch: plan.take });
    const scored = await inTurns(statistics.due(), mendScores, {
      ...untilAfter(),
      // It has this turn: a worker that dies of it leaves it to another day's sample.
      touch: async (note) => {
        await statistics.forget(note);
        return true;
      },
    });
    const listed = await inTurns(lists.due(), mendList, {
      ...untilAfter(),
      touch: lists.take,
    });
    const counted = await inTurns(await counts.due(), count, { ...untilAfter(), turn: share / 2, touch: counts.touch });
    throwFailures(sampled, "Sums that could not be sampled");
    throwFailures(scored, "Statistics of scores that could not be looked at again");
    throwFailures(listed, "Totals of lists that could not be looked at again");
    throwFailures(counted, "Counters that could not be checked");
    return done;
  };
};
