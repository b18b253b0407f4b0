import { expect, test } from "vitest";
import { quietDatabase } from "../../../support/database/quiet-database.ts";
import { faultKinds } from "../../../support/faults/fault-kind.ts";
import { runsAllCases } from "../../../support/sample.ts";
import { campaign } from "../../campaign.ts";

const database = quietDatabase();

/** A short version of the campaign in `run.ts`, with fixed seeds. */
const [firstSeed, schedules] = [20_261_001, runsAllCases ? 120 : 20];

test("every run ends with each pair judged and counted once, under injected failures", async () => {
  const report = await campaign(database(), firstSeed, schedules);

  const failures = report.failed.map(({ seed, violations }) => `seed ${seed}: ${violations.join("; ")}`);
  const injected = new Set([...report.tally.keys()].map((key) => key.split(" ")[0]));
  expect(failures).toEqual([]);
  expect(report.schedules).toBe(schedules);
  expect(report.scores).toBeGreaterThan(0);
  expect(faultKinds.filter((kind) => !injected.has(kind))).toEqual([]);
  expect([...report.tally.keys()].filter((key) => key.endsWith("(partition)"))).not.toEqual([]);
});
