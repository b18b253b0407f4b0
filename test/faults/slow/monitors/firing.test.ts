import { expect, test } from "vitest";
import { quietDatabase } from "../../../support/database/quiet-database.ts";
import { freshSeed } from "../../../support/vitest/fresh-seed.ts";
import type { Tally } from "../../../support/faults/seeded-faults.ts";
import { runFirings } from "../../monitors/schedule.ts";

const database = quietDatabase();

test("every due instant of a monitor has one run or one skip, under injected failures of its deliveries", async () => {
  const [seed, tally]: [number, Tally] = [freshSeed(), new Map()];

  const reports = await Promise.all([0, 1, 2, 3].map((turn) => runFirings(database(), seed + turn, 30, tally)));

  expect(reports.map(({ seed: reportSeed, violations }) => ({ seed: reportSeed, violations }))).toEqual(
    reports.map(({ seed: reportSeed }) => ({ seed: reportSeed, violations: [] })),
  );
  expect(reports.reduce((sum, { deliveries }) => sum + deliveries, 0)).toBeGreaterThan(150);
  expect(tally.size).toBeGreaterThan(4);
});
