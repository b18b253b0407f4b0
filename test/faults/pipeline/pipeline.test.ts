import { expect, test } from "vitest";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { faultKinds } from "../../support/faults/fault-kind.ts";
import { campaign } from "../campaign.ts";

const database = quietDatabase();

/** A few seconds of what `run.ts` does for hours; the seeds are the same each time, some are run however slow the machine is. */
const [firstSeed, fewest, most, budget] = [20_261_001, 20, 60, 20_000];

test("whatever goes wrong, every run ends with each pair judged and counted once", async () => {
  const done = await campaign(database(), firstSeed, { most, until: Date.now() + budget, fewest });

  const said = done.failed.map(({ seed, violations }) => `seed ${seed}: ${violations.join("; ")}`);
  const injected = new Set([...done.tally.keys()].map((key) => key.split(" ")[0]));
  expect(said).toEqual([]);
  expect(done.schedules).toBeGreaterThanOrEqual(fewest);
  expect(done.scores).toBeGreaterThan(0);
  expect(faultKinds.filter((kind) => !injected.has(kind))).toEqual([]);
  expect([...done.tally.keys()].filter((key) => key.endsWith("(partition)"))).not.toEqual([]);
});
