import { runAggregates } from "../faults/aggregates/schedule.ts";
import { runAlerts } from "../faults/alerts/schedule.ts";
import { runBooks } from "../faults/books/schedule.ts";
import { runIngest } from "../faults/ingest/schedule.ts";
import { runFirings } from "../faults/monitors/schedule.ts";
import { runSweeping } from "../faults/monitors/sweeping.ts";
import { runProjects } from "../faults/projects/schedule.ts";
import { runSchedule, storePool } from "../faults/schedule.ts";
import { runScores } from "../faults/scores/schedule.ts";
import { runSessions } from "../faults/sessions/schedule.ts";
import { startDatabase, type TestDatabase } from "../support/database/database.ts";
import { tableStream } from "../support/database/table-stream.ts";

/** Runs the fault schedule of a seed. @returns descriptions of the violated invariants. */
type Schedule = (seed: number) => Promise<readonly string[]>;

type Hunt = (database: TestDatabase) => Promise<Schedule>;

/** Number of scheduled instants in a monitor's schedule. */
const instants = 20;
const poolSize = 60;

/** Fault campaigns by name; each runs one schedule per seed. */
export const hunts = {
  pipeline: async (database) => {
    const pools = [await storePool(database, poolSize), await storePool(database, poolSize)] as const;
    return async (seed) => (await runSchedule(database, pools, seed)).violations;
  },
  ingest: async (database) => {
    const rows = await tableStream(database, "rows");
    return async (seed) => (await runIngest(database, rows, seed)).violations;
  },
  monitors: async (database) => async (seed) => (await runFirings(database, seed, instants, new Map())).violations,
  sweeps: async (database) => async (seed) => (await runSweeping(database, seed, new Map())).violations,
  aggregates: async (database) => {
    const rows = await tableStream(database, "rows");
    return async (seed) => (await runAggregates(database, rows, seed)).violations;
  },
  alerts: async (database) => async (seed) => (await runAlerts(database, seed)).violations,
  books: async (database) => async (seed) => (await runBooks(database, seed)).violations,
  projects: async (database) => async (seed) => (await runProjects(database, seed)).violations,
  sessions: async (database) => async (seed) => (await runSessions(database, seed)).violations,
  scores: async (database) => {
    const scores = await tableStream(database, "scores");
    return async (seed) => (await runScores(database, scores, seed)).violations;
  },
} satisfies Readonly<Record<string, Hunt>>;

export type HuntName = keyof typeof hunts;

/**
 * Runs schedules with rising seeds until one violates an invariant.
 * @returns the seed and the first violation, or null.
 */
export const findViolation = async (
  name: HuntName,
  seed: number,
  seeds: number,
): Promise<{ readonly seed: number; readonly violation: string } | null> => {
  const database = await startDatabase({ streams: true });
  const schedule = await hunts[name](database);
  for (let next = seed; next < seed + seeds; next += 1) {
    const [violation] = await schedule(next).catch((error: unknown) => [String(error)]);
    if (violation !== undefined) return { seed: next, violation };
  }
  await database.close();
  return null;
};
