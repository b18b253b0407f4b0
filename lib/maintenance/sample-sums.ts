import { inTurns, throwFailures } from "../async/in-turns.ts";
import { existingProjects } from "../store/access/existing-projects.ts";
import { cursorStore } from "../dynamo/cursor.ts";
import type { Database } from "../dynamo/database.ts";
import { facetChecks } from "../store/totals/facet-check.ts";
import { sampleClaim } from "../store/hours/sample-claim.ts";
import { countedLists } from "../store/runs/counted-list.ts";
import { randomScoreHour } from "../store/scores/random-score-hour.ts";
import { statisticsCheck } from "../store/scores/statistics-check.ts";
import { countChecks, type CountCheck } from "../store/traces/count-check.ts";
import { randomDay } from "../store/hours/random-day.ts";
import { hourChecker, emptyHourCheck, publishRepair } from "./check-hour.ts";
import { sampleCursor, samplePlan, type SampleStep } from "./sample-plan.ts";

/** Report of one call of the daily sample. */
export interface SumSample {
  readonly days: number;
  readonly hours: number;
  /** Hours whose rollups differed from their rows and were repaired. */
  readonly wrongHours: number;
  /** Projects or lists whose counters may differ from their rows or items: they are counted again. */
  readonly doubtfulCounts: number;
  /** Projects or lists whose counters were repaired. */
  readonly wrongCounts: number;
  /** Hours of scores whose statistics may be wrong: they are checked again a day later. */
  readonly doubtfulScores: number;
  /** Score names whose statistics of an hour were repaired. */
  readonly wrongScores: number;
  /** Hours and lists that were too large to check within a turn. */
  readonly cut: number;
}

/**
 * Compares derived values with their source items for a daily random sample of project days, a few per call: hourly rollups
 * of traces, counters of traces, runs and scores, and statistics of scores. Differences are logged and repaired.
 */
export const sumSampler = (database: Database, now: () => number = Date.now) => {
  const hours = hourChecker(database, now);
  const [counts, statistics] = [countChecks(database, now), statisticsCheck(database, now)];
  const lists = facetChecks(database, countedLists(database), now);
  const [dailyClaim, findExistingProjects] = [sampleClaim(database, now), existingProjects(database)];
  const cursor = cursorStore(database, sampleCursor, now);

  /** True if a project exists. Items written for a deleted project after its deletion has ended would never be erased. */
  const projectExists = async (project: string): Promise<boolean> =>
    (await findExistingProjects([project])).has(project);

  const ifProjectExists =
    <Note extends { readonly project: string }>(claim: (note: Note) => Promise<boolean>) =>
    async (note: Note): Promise<boolean> =>
      (await claim(note)) && (await projectExists(note.project));

  /** @param budget milliseconds of work, a quarter for each kind of check; a page that is being read may exceed the budget. */
  return async (budget: number): Promise<SumSample> => {
    const report = {
      days: 0,
      hours: 0,
      wrongHours: 0,
      doubtfulCounts: 0,
      wrongCounts: 0,
      doubtfulScores: 0,
      wrongScores: 0,
      cut: 0,
    };
    const shareMilliseconds = budget / 4;
    const plan = samplePlan(cursor, () => dailyClaim.claim());

    const draw = async (until: number): Promise<void> => {
      const sampledDay = await randomDay(database);
      if (sampledDay !== null) {
        report.days += 1;
        if ((await projectExists(sampledDay.project)) && (await plan.addDay(sampledDay)))
          await counts.begin(sampledDay.project);
      }
      const scoreHour = await randomScoreHour(database);
      for (const project of new Set([sampledDay?.project, scoreHour?.project].filter((each) => each !== undefined))) {
        if (!(await projectExists(project))) continue;
        const { doubtful, cut } = await lists.check(project, until);
        report.doubtfulCounts += doubtful;
        report.cut += cut;
      }
      if (scoreHour === null || !(await projectExists(scoreHour.project))) return;
      const isWrong = await statistics.check(scoreHour, until);
      if (isWrong === null) report.cut += 1;
      else if (isWrong) report.doubtfulScores += 1;
    };

    /** Checks an hour of traces. @returns false if time ran out before all of the hour was checked. */
    const checkHour = async (project: string, partition: number, hour: string, until: number): Promise<boolean> => {
      const checked = (await projectExists(project)) ? await hours(project, partition, hour, until) : emptyHourCheck;
      report.hours += checked.hours;
      report.wrongHours += checked.wrong;
      return checked.isComplete;
    };

    let steps = 0;
    const take = async (step: SampleStep, until: number): Promise<void> => {
      steps += 1;
      if (step.kind === "draw") return await draw(until);
      const { project, partition, hour } = step;
      if (await checkHour(project, partition, hour, until)) return;
      // An hour that started late in this call is repeated by the next call. One that had the whole call is too large and is skipped.
      if (steps > 1) await plan.putBack(project, partition, hour);
      else report.cut += 1;
    };

    const count = async (check: CountCheck, until: number): Promise<void> => {
      if (!(await projectExists(check.project))) return void (await counts.drop(check));
      const finding = await counts.step(check, until);
      if (finding === "doubtful") report.doubtfulCounts += 1;
      if (finding !== "repaired") return;
      report.wrongCounts += 1;
      publishRepair(check.project, { sum: "count" });
    };

    const share = () => ({ until: now() + shareMilliseconds, now });
    const sampleTurns = await inTurns(plan.steps(), take, { ...share(), beforeTurn: plan.recordStep });
    const statisticsTurns = await inTurns(
      statistics.due(),
      async (note, until) => {
        const names = await statistics.repair(note, until);
        report.wrongScores += names;
        if (names > 0) publishRepair(note.project, { sum: "scores", hour: note.hour });
      },
      { ...share(), beforeTurn: ifProjectExists(statistics.claim) },
    );
    const listTurns = await inTurns(
      lists.due(),
      async (note, until) => {
        if ((await lists.repair(note, until)) === 0) return;
        report.wrongCounts += 1;
        publishRepair(note.project, { sum: "total", list: note.list.name });
      },
      { ...share(), beforeTurn: ifProjectExists(lists.claim) },
    );
    const countTurns = await inTurns(await counts.due(), count, {
      ...share(),
      turnMilliseconds: shareMilliseconds / 2,
      beforeTurn: counts.moveToEnd,
    });
    throwFailures(sampleTurns, "Sums that could not be sampled");
    throwFailures(statisticsTurns, "Statistics of scores that could not be checked again");
    throwFailures(listTurns, "Totals of lists that could not be checked again");
    throwFailures(countTurns, "Counters that could not be checked");
    return report;
  };
};
