import type { Database } from "../../lib/dynamo/database.ts";
import type { Tally } from "../support/faults/seeded-faults.ts";
import { runSchedule, storePool, type ScheduleReport } from "./schedule.ts";

/** Result of many schedules. */
export interface Campaign {
  readonly schedules: number;
  readonly failed: readonly ScheduleReport[];
  readonly tally: Tally;
  readonly deliveries: number;
  readonly judgeCalls: number;
  readonly scores: number;
}

const poolSize = 60;

/**
 * Runs schedules with rising seeds, three at a time.
 * @param report called after each schedule.
 */
export const campaign = async (
  database: Database,
  seed: number,
  schedules: number,
  report: (schedule: ScheduleReport) => void = () => undefined,
): Promise<Campaign> => {
  const pools = [await storePool(database, poolSize), await storePool(database, poolSize)] as const;
  const failed: ScheduleReport[] = [];
  const tally: Tally = new Map();
  const sums = { schedules: 0, deliveries: 0, judgeCalls: 0, scores: 0 };
  let next = seed;
  const lane = async (): Promise<void> => {
    while (next < seed + schedules) {
      next += 1;
      const schedule = await runSchedule(database, pools, next - 1);
      sums.schedules += 1;
      sums.deliveries += schedule.deliveries;
      sums.judgeCalls += schedule.judgeCalls;
      sums.scores += schedule.scores;
      for (const [key, count] of schedule.tally) tally.set(key, (tally.get(key) ?? 0) + count);
      if (schedule.violations.length > 0) failed.push(schedule);
      report(schedule);
    }
  };
  await Promise.all([lane(), lane(), lane()]);
  return { ...sums, failed, tally };
};
