import { expect, test } from "vitest";
import { hunts, type HuntName } from "../mutants/hunts.ts";
import { quietDatabase } from "../support/database/quiet-database.ts";

/** Seeds with which a campaign notices most of the mutants that are its own, as `npm run mutants` prints them. */
const seeds: Readonly<Record<HuntName, readonly number[]>> = {
  pipeline: [1, 2, 4, 10, 13],
  ingest: [3, 7],
  monitors: [1, 2, 10],
  sweeps: [2],
  aggregates: [1, 10],
  alerts: [2],
  books: [1],
  projects: [1],
  sessions: [1, 2, 12],
  scores: [1],
};

const database = quietDatabase({ streams: true });

test.each(Object.keys(seeds) as HuntName[])("a few schedules of the campaign of %s violate nothing", async (name) => {
  const schedule = await hunts[name](database());
  const violations: string[] = [];
  for (const seed of seeds[name])
    violations.push(...(await schedule(seed)).map((violation) => `seed ${seed}: ${violation}`));

  expect(violations).toEqual([]);
});
