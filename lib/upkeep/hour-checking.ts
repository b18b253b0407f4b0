import { publishMetrics } from "../published-metrics.ts";
import type { Database } from "../store/database.ts";
import { hourName, type HourKey } from "../store/hours/keys.ts";
import { hourRollups } from "../store/hours/rollups.ts";
import { hourRows } from "../store/hours/rows.ts";

/** An hour of which a row has changed since is left out: what follows the stream may not have come to it. */
const quietMilliseconds = 3_600_000;

/** What was found of an hour's sums. */
export interface CheckedHour {
  readonly hours: number;
  /** Sums that were not those of the rows, and have been computed again. */
  readonly wrong: number;
  /** False when there was no time for all of it. */
  readonly isWhole: boolean;
}

export const nothingChecked: CheckedHour = { hours: 0, wrong: 0, isWhole: true };

/** Says that a sum was mended: in the log and as a metric. */
export const tellMended = (project: string, more: Readonly<Record<string, string>>): void =>
  publishMetrics("sum_mended", { SumsMended: 1 }, { project_id: project, ...more });

/** Compares what is computed of an hour of traces with its rows, and computes it again where it differs. */
export const hourChecking = (database: Database, now: () => number = Date.now) => {
  const [rows, rollups] = [hourRows(database), hourRollups(database, now)];

  /** What is stored of an hour that has rows and has stood still; null when there was no time to see it. */
  const keysOf = async (project: string, hour: string, until: number): Promise<readonly HourKey[] | null> => {
    const keys = new Map<string, HourKey>();
    let changedAt = 0;
    for await (const { trace, expiry } of rows.ofHour(project, hour, true)) {
      if (now() >= until) return null;
      const key = { project, hour, expiry };
      keys.set(hourName(key), key);
      changedAt = Math.max(changedAt, trace.rest.changedAt);
    }
    return now() - changedAt < quietMilliseconds ? [] : [...keys.values()];
  };

  /** @param until epoch milliseconds. */
  return async (project: string, hour: string, until: number): Promise<CheckedHour> => {
    const keys = await keysOf(project, hour, until);
    if (keys === null) return { ...nothingChecked, isWhole: false };
    let [hours, wrong] = [0, 0];
    for (const key of keys) {
      const isWrong = await rollups.check(key, until);
      if (isWrong === null) return { hours, wrong, isWhole: false };
      hours += 1;
      if (!isWrong) continue;
      wrong += 1;
      tellMended(project, { sum: "hour", hour });
    }
    return { hours, wrong, isWhole: true };
  };
};
