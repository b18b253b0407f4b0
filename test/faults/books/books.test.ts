import { expect, test } from "vitest";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";
import { runBooks } from "./schedule.ts";

const database = quietDatabase();

const seed = freshSeed();

test(`ten projects are deleted while they are judged, and every book adds up (seed ${seed})`, async () => {
  const { violations, late, spent } = await runBooks(database(), seed);

  expect(violations).toEqual([]);
  expect(late).toBeGreaterThan(3);
  expect(spent).toBeGreaterThan(0);
});

test("a book that only the scan of the tables comes upon is closed, not only removed", async () => {
  const { violations } = await runBooks(database(), 800_002);

  expect(violations).toEqual([]);
});
