import { describe, expect, test } from "vitest";
import { quietDatabase } from "../../../support/database/quiet-database.ts";
import { freshSeed } from "../../../support/vitest/fresh-seed.ts";
import { runBooks } from "../../books/schedule.ts";

const seed = freshSeed();

// A database per schedule: each schedule has its own months, and the clock of a database must not move back.
describe("deletions of projects while they are judged", () => {
  const database = quietDatabase();

  test(`ten projects are deleted and every ledger entry adds up (seed ${seed})`, async () => {
    const { violations, lateWorkers, spent } = await runBooks(database(), seed);

    expect(violations).toEqual([]);
    expect(lateWorkers).toBeGreaterThan(3);
    expect(spent).toBeGreaterThan(0);
  });
});

describe("ledger entries of runs that no list contains", () => {
  const database = quietDatabase();

  test("a ledger entry that only the table scan finds is closed as well as removed", async () => {
    const { violations } = await runBooks(database(), 800_002);

    expect(violations).toEqual([]);
  });
});
