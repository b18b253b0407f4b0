import { expect, test } from "vitest";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { faultKinds } from "../../support/faults/fault-kind.ts";
import { runsAllCases } from "../../support/sample.ts";
import { campaign } from "../campaign.ts";

const database = quietDatabase();

/**
 * A short version of the campaign in `run.ts`, with fixed seeds; a minimum number of schedules runs even on a slow
 * machine.
 */
const [firstSeed, minSchedules, maxSchedules, budget] = [20_261_001, 20, runsAllCases ? 120 : 25, 20_000];

test("every run ends with each pair judged and counted once, under injected failures", async () => {
  const report = await campaign(database(), firstSeed, {
    maxSchedules: maxSchedules,
    until: Date.now() + budget,
    minSchedules: minSchedules,
  });

  const failures = report.failed.map(({ seed, violations }) => `seed ${seed}: ${violations.join("; ")}`);
  const injected = new Set([...report.tally.keys()].map((key) => key.split(" ")[0]));
  expect(failures).toEqual([]);
  expect(report.schedules).toBeGreaterThanOrEqual(minSchedules);
  expect(report.scores).toBeGreaterThan(0);
  expect(faultKinds.filter((kind) => !injected.has(kind))).toEqual([]);
  expect([...report.tally.keys()].filter((key) => key.endsWith("(partition)"))).not.toEqual([]);
});
