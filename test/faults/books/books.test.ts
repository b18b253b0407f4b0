import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";
import { runBooks } from "./schedule.ts";

let database: TestDatabase;
beforeAll(async () => {
  // The workers log what they lose.
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  database = await startDatabase();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await database.close();
});

const seed = freshSeed();

test(`ten projects are deleted while they are judged, and every book adds up (seed ${seed})`, async () => {
  const { violations, late, spent } = await runBooks(database, seed);

  expect(violations).toEqual([]);
  expect(late).toBeGreaterThan(3);
  expect(spent).toBeGreaterThan(0);
});
