import { expect, test } from "vitest";
import { quietDatabase } from "../../../support/database/quiet-database.ts";
import type { Tally } from "../../../support/faults/seeded-faults.ts";
import { freshSeed } from "../../../support/vitest/fresh-seed.ts";
import { runSweeping } from "../../monitors/sweeping.ts";

const database = quietDatabase();

test("a Scheduler outage, a refused schedule and monitors that kill their workers cost no other monitor a firing", async () => {
  const [seed, tally]: [number, Tally] = [freshSeed(), new Map()];

  const report = await runSweeping(database(), seed, tally);

  expect(report).toEqual({ seed, violations: [] });
  const kinds = new Set([...tally.keys()].map((key) => key.split(" ")[0]));
  expect(kinds).toEqual(kinds.union(new Set(["scheduler-down", "schedule-refused", "snapshot"])));
});
