import { describe, expect, test } from "vitest";
import { quietDatabase } from "../../support/database/quiet-database.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";
import { runBooks } from "./schedule.ts";

const seed = freshSeed();

// Each schedule has months of its own, and no clock of one database goes back: a database each.
describe("what is deleted while it is judged", () => {
  const database = quietDatabase();

  test(`ten projects are deleted, and every book adds up (seed ${seed})`, async () => {
    const { violations, late, spent } = await runBooks(database(), seed);

    expect(violations).toEqual([]);
    expect(late).toBeGreaterThan(3);
    expect(spent).toBeGreaterThan(0);
  });
});

describe("what no list leads to any more", () => {
  const database = quietDatabase();

  test("a book that only the scan of the tables comes upon is closed, not only removed", async () => {
    const { violations } = await runBooks(database(), 800_002);

    expect(violations).toEqual([]);
  });
});
