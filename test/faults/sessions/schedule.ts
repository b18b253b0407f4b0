import { isDeepStrictEqual } from "node:util";
import type { Database } from "../../../lib/store/database.ts";
import { seeded } from "../../support/random.ts";
import { violations } from "../violations.ts";
import { largeSession } from "./large-session.ts";

/** What came of a schedule of a large session's traces. */
export interface SessionsReport {
  readonly seed: number;
  readonly violations: readonly string[];
}

const [rounds, stepsOfRound, firstTraces] = [5, 10, 40];

/** Longer than a segment has to be there before a sum is kept of it. */
const settled = 100_000;

/**
 * Traces of a session come, go, move and expire while it is read, its index lags, and the stream's worker is late, comes twice
 * and dies. Whenever index and stream have come to their end the session has to be what its traces are, as a whole and page
 * by page: before sums are kept, while they are, and with them.
 */
export const runSessions = async (database: Database, seed: number): Promise<SessionsReport> => {
  const [random, broken] = [seeded(seed), violations()];
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
      const [truth, size] = [world.truth(), random.between(1, 20)];
      const ids: string[] = [];
      for (let offset = 0; offset === 0 || offset < truth.ids.length; offset += size) {
        const found = await world.read(size, offset);
        broken.expect(isDeepStrictEqual(found?.session ?? null, truth.session), `The sum is wrong ${time}.`);
        ids.push(...(found?.page ?? []).map(({ id }) => id));
        if (offset > 2 * size) break;
      }
      broken.expect(isDeepStrictEqual(ids, truth.ids.slice(0, ids.length)), `The pages are wrong ${time}.`);
      await world.pass(settled);
    }
  }
  return { seed, violations: broken.found };
};
