import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../../support/database/database.ts";
import { runSessions } from "../../sessions/schedule.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const firstSeed = 20_261_122;

test("a large session matches its traces, whatever its index and its stream worker have missed", async () => {
  const failures: string[] = [];
  for (let seed = firstSeed; seed < firstSeed + 2; seed += 1) {
    failures.push(...(await runSessions(database, seed)).violations.map((each) => `seed ${seed}: ${each}`));
  }

  expect(failures).toEqual([]);
});
