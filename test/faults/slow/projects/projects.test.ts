import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type TestDatabase } from "../../../support/database/database.ts";
import { freshSeed } from "../../../support/vitest/fresh-seed.ts";
import { runsAllCases } from "../../../support/sample.ts";
import { runProjects } from "../../projects/schedule.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const [firstSeed, schedules] = [freshSeed(), runsAllCases ? 40 : 3];

test(`projects that are deleted, created again and renamed under load accept no later request (seed ${firstSeed})`, async () => {
  const [failures, faults] = [new Array<string>(), new Set<string>()];
  let [acked, changes] = [0, 0];
  for (let seed = firstSeed; seed < firstSeed + schedules; seed += 1) {
    const report = await runProjects(database, seed);
    acked += report.acked;
    changes += report.changes;
    for (const fault of report.tally.keys()) faults.add(fault);
    if (report.violations.length > 0) failures.push(`seed ${seed}: ${report.violations.join("; ")}`);
  }

  expect(failures).toEqual([]);
  expect(changes).toBeGreaterThan(10);
  expect(acked).toBeGreaterThan(20);
  expect(faults.size).toBeGreaterThan(4);
});
