import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../support/database.ts";
import { runIngest } from "./ingest-schedule.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const [firstSeed, schedules, budget] = [20_261_101, 40, 8_000];

test("what was acknowledged is stored, whole, whatever goes wrong and whoever writes at once", async () => {
  const [until, said] = [Date.now() + budget, new Array<string>()];
  let acked = 0;
  for (let seed = firstSeed; seed < firstSeed + schedules && Date.now() < until; seed += 1) {
    const done = await runIngest(database, seed);
    acked += done.acked;
    if (done.violations.length > 0) said.push(`seed ${seed}: ${done.violations.join("; ")}`);
  }

  expect(said).toEqual([]);
  expect(acked).toBeGreaterThan(20);
});
