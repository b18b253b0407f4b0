import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import type { Tally } from "../../support/faults/seeded-faults.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";
import { runSweeping } from "./sweeping.ts";

let database: TestDatabase;
beforeAll(async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  database = await startDatabase();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await database.close();
});

test("a Scheduler that is down, one schedule it refuses and monitors that kill their workers cost nobody else a firing", async () => {
  const [seed, tally]: [number, Tally] = [freshSeed(), new Map()];

  const report = await runSweeping(database, seed, tally);

  expect(report).toEqual({ seed, violations: [] });
  const kinds = new Set([...tally.keys()].map((key) => key.split(" ")[0]));
  expect(kinds).toEqual(kinds.union(new Set(["scheduler-down", "schedule-refused", "snapshot"])));
});
