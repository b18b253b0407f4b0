import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";
import { runProjects } from "./schedule.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** Some are run however slow the machine is. */
const [firstSeed, fewest, schedules, budget] = [freshSeed(), 3, 40, 5_000];

test(`projects that are deleted, made again and renamed under load take nothing that comes after it (seed ${firstSeed})`, async () => {
  const [until, said, faults] = [Date.now() + budget, new Array<string>(), new Set<string>()];
  let [acked, changes] = [0, 0];
  for (let seed = firstSeed; seed < firstSeed + schedules; seed += 1) {
    if (seed >= firstSeed + fewest && Date.now() > until) break;
    const done = await runProjects(database, seed);
    acked += done.acked;
    changes += done.changes;
    for (const fault of done.tally.keys()) faults.add(fault);
    if (done.violations.length > 0) said.push(`seed ${seed}: ${done.violations.join("; ")}`);
  }

  expect(said).toEqual([]);
  expect(changes).toBeGreaterThan(10);
  expect(acked).toBeGreaterThan(20);
  expect(faults.size).toBeGreaterThan(4);
});
