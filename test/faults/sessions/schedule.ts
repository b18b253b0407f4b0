import { isDeepStrictEqual } from "node:util";
import type { Database } from "../../../lib/dynamo/database.ts";
import { seeded } from "../../support/random.ts";
import { violations } from "../violations.ts";
import { largeSession } from "./large-session.ts";

/** Result of a schedule of a large session's traces. */
export interface SessionsReport {
  readonly seed: number;
  readonly violations: readonly string[];
}

const [rounds, stepsOfRound, firstTraces] = [5, 10, 40];

/** Milliseconds, longer than the minimum age of a segment before its sum is stored. */
const settleMilliseconds = 100_000;

/**
 * Adds, removes, moves and expires traces of a session while it is read, with a lagging index and a late, repeating and
 * crashing stream worker. Whenever index and stream are up to date, the session must match its traces, as a whole and
 * page by page: before, while and after sums are stored.
 */
export const runSessions = async (database: Database, seed: number): Promise<SessionsReport> => {
  const [random, invariants] = [seeded(seed), violations()];
  const world = largeSession(database, random);
  for (let count = 0; count < firstTraces; count += 1) world.write();

  for (let round = 0; round < rounds; round += 1) {
    for (let steps = 0; steps < stepsOfRound; steps += 1) {
      await world.step();
      if (random.chance(0.4)) await world.disturbed();
      if (random.chance(0.2)) await world.pass(random.between(10_000, 120_000));
    }
    await world.settle();
    for (const time of ["at first", "while sums are kept", "with the sums that are kept"]) {
      const [truth, size] = [world.expectedSession(), random.between(1, 20)];
      const ids: string[] = [];
      for (let offset = 0; offset === 0 || offset < truth.ids.length; offset += size) {
        const sessionPage = await world.read(size, offset);
        invariants.expect(isDeepStrictEqual(sessionPage?.session ?? null, truth.session), `The sum is wrong ${time}.`);
        ids.push(...(sessionPage?.page ?? []).map(({ id }) => id));
        if (offset > 2 * size) break;
      }
      invariants.expect(isDeepStrictEqual(ids, truth.ids.slice(0, ids.length)), `The pages are wrong ${time}.`);
      await world.pass(settleMilliseconds);
    }
  }
  return { seed, violations: invariants.messages };
};
