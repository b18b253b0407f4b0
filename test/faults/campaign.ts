import type { Database } from "../../lib/store/database.ts";
import type { Tally } from "../support/faults/seeded-faults.ts";
import { runSchedule, storePool, type ScheduleReport } from "./schedule.ts";

/** What came of many schedules. */
export interface Campaign {
  readonly schedules: number;
  readonly failed: readonly ScheduleReport[];
  readonly tally: Tally;
  readonly deliveries: number;
  readonly judgeCalls: number;
  readonly scores: number;
}

/** How many schedules are run. */
export interface Extent {
  readonly most: number;
  /** Epoch milliseconds after which no more are begun, ... */
  readonly until: number;
  /** ... once so many are. */
  readonly fewest: number;
}

const poolSize = 60;

/**
 * Runs schedules with rising seeds, a few at a time.
 *
 * @param report called after each.
 */
export const campaign = async (
  database: Database,
  seed: number,
  { most, until, fewest }: Extent,
  report: (done: ScheduleReport) => void = () => undefined,
): Promise<Campaign> => {
  const pools = [await storePool(database, poolSize), await storePool(database, poolSize)] as const;
  const failed: ScheduleReport[] = [];
  const tally: Tally = new Map();
  const sums = { schedules: 0, deliveries: 0, judgeCalls: 0, scores: 0 };
  let next = seed;
  const lane = async (): Promise<void> => {
    while (next < seed + most && (next < seed + fewest || Date.now() < until)) {
      next += 1;
      const done = await runSchedule(database, pools, next - 1);
      sums.schedules += 1;
      sums.deliveries += done.deliveries;
      sums.judgeCalls += done.judgeCalls;
      sums.scores += done.scores;
      for (const [key, count] of done.tally) tally.set(key, (tally.get(key) ?? 0) + count);
      if (done.violations.length > 0) failed.push(done);
      report(done);
    }
  };
  await Promise.all([lane(), lane(), lane()]);
  return { ...sums, failed, tally };
};
