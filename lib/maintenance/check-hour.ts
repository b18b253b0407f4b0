import { publishMetrics } from "../published-metrics.ts";
import type { Database } from "../dynamo/database.ts";
import { hourName, type HourKey } from "../store/hours/keys.ts";
import { hourRollups } from "../store/hours/rollups.ts";
import { hourRows } from "../store/hours/rows.ts";

/** Milliseconds without a change of an hour's rows before the hour is checked: until then the stream worker may lag behind. */
const quietMilliseconds = 3_600_000;

/** Result of checking an hour's rollups against its rows. */
export interface HourCheck {
  /** Rollups that were compared, one per expiry. */
  readonly hours: number;
  /** Rollups that differed from the rows and were computed again. */
  readonly wrong: number;
  /** False if time ran out before all of the hour was checked. */
  readonly isComplete: boolean;
}

export const emptyHourCheck: HourCheck = { hours: 0, wrong: 0, isComplete: true };

/** Logs a repaired sum and publishes it as a service metric. */
export const publishRepair = (project: string | undefined, fields: Readonly<Record<string, string | number>>): void =>
  publishMetrics("sum_mended", { SumsMended: 1 }, { project_id: project, ...fields });

/**
 * Returns a function that compares the rollups of an hour of traces with the rows that a partition has of the hour, and repairs those
 * that differ.
 */
export const hourChecker = (database: Database, now: () => number = Date.now) => {
  const [rows, rollups] = [hourRows(database), hourRollups(database, now)];

  /** Returns the keys of an hour's rollups; none if a row changed within the quiet time, null if time ran out. */
  const keysOf = async (
    project: string,
    partition: number,
    hour: string,
    until: number,
  ): Promise<readonly HourKey[] | null> => {
    const keys = new Map<string, HourKey>();
    let changedAt = 0;
    for await (const { trace, expiry } of rows.ofHour(project, partition, hour, true)) {
      if (now() >= until) return null;
      const key = { project, hour, expiry };
      keys.set(hourName(key), key);
      changedAt = Math.max(changedAt, trace.laterFields.changedAt);
    }
    return now() - changedAt < quietMilliseconds ? [] : [...keys.values()];
  };

  /** @param until epoch milliseconds at which the check stops. */
  return async (project: string, partition: number, hour: string, until: number): Promise<HourCheck> => {
    const keys = await keysOf(project, partition, hour, until);
    if (keys === null) return { ...emptyHourCheck, isComplete: false };
    let [hours, wrong] = [0, 0];
    for (const key of keys) {
      const isWrong = await rollups.check(key, until);
      if (isWrong === null) return { hours, wrong, isComplete: false };
      hours += 1;
      if (!isWrong) continue;
      wrong += 1;
      publishRepair(project, { sum: "hour", hour });
    }
    return { hours, wrong, isComplete: true };
  };
};
