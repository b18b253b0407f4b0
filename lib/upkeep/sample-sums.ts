import { hourNumber, hourText } from "../domain/analytics/bucket.ts";
import { publishMetrics } from "../published-metrics.ts";
import type { Database } from "../store/database.ts";
import { countCheck } from "../store/traces/count-check.ts";
import { hourName, type HourKey } from "../store/hours/keys.ts";
import { hourRollups } from "../store/hours/rollups.ts";
import { hourRows } from "../store/hours/rows.ts";
import { livingProjects } from "../store/access/living-projects.ts";
import { randomDay } from "../store/traces/random-day.ts";
import { sampleTurn } from "../store/hours/sample-turn.ts";

/** Days of projects that are looked at in a day. */
const sampleSize = 20;

/** An hour of which a row has changed since is left out: what follows the stream may not have come to it. */
const quietMilliseconds = 3_600_000;

/** What a sample of the sums found. */
export interface SumSample {
  readonly days: number;
  readonly hours: number;
  /** Hours whose sums were not those of their rows. */
  readonly wrongHours: number;
  /** Projects whose counters may not be those of their rows: they are looked at again. */
  readonly doubtfulCounts: number;
  /** Projects whose counters were mended. */
  readonly wrongCounts: number;
}

/**
 * Compares what is computed from traces with the traces once a day: the hours, which are computed, and the counters, which
 * are folded, of some days of some projects. What differs is logged and mended.
 */
export const sumSampling = (database: Database, now: () => number = Date.now) => {
  const [rows, rollups, counts] = [hourRows(database), hourRollups(database, now), countCheck(database, now)];
  const [turn, living] = [sampleTurn(database, now), livingProjects(database)];

  /** The hours of a day that have rows, and that have stood still. */
  const hoursOf = async (project: string, day: string): Promise<readonly HourKey[]> => {
    const keys = new Map<string, HourKey>();
    const first = hourNumber(`${day}T00`);
    for (let number = first; number < first + 24; number += 1) {
      const hour = hourText(number);
      const found = new Map<string, HourKey>();
      let changedAt = 0;
      for await (const { trace, expiry } of rows.ofHour(project, hour, true)) {
        const key = { project, hour, expiry };
        found.set(hourName(key), key);
        changedAt = Math.max(changedAt, trace.rest.changedAt);
      }
      if (now() - changedAt < quietMilliseconds) continue;
      for (const [name, key] of found) keys.set(name, key);
    }
    return [...keys.values()];
  };

  /** @param budget milliseconds. */
  return async (budget: number): Promise<SumSample> => {
    const until = now() + budget;
    const done = { days: 0, hours: 0, wrongHours: 0, doubtfulCounts: 0, wrongCounts: 0 };
    for (const project of await counts.mendNoted()) {
      done.wrongCounts += 1;
      publishMetrics("sum_mended", { SumsMended: 1 }, { project_id: project, sum: "count" });
    }
    if (!(await turn.take())) return done;
    const seen = new Set<string>();
    while (done.days < sampleSize && now() < until) {
      const place = await randomDay(database);
      if (place === null) break;
      const { project, day } = place;
      done.days += 1;
      // Nobody looks for what is written of a deleted project later than its deletion does.
      if (!(await living([project])).has(project)) continue;
      if (!seen.has(project) && (await counts.look(project))) done.doubtfulCounts += 1;
      if (!seen.has(`${project} ${day}`)) {
        for (const key of await hoursOf(project, day)) {
          done.hours += 1;
          if (!((await rollups.check(key)) === true)) continue;
          done.wrongHours += 1;
          publishMetrics("sum_mended", { SumsMended: 1 }, { project_id: project, sum: "hour", hour: key.hour });
        }
      }
      seen.add(project).add(`${project} ${day}`);
    }
    return done;
  };
};
