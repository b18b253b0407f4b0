import { afterAll, beforeAll, vi } from "vitest";
import { startDatabase, type TestDatabase } from "./database.ts";

/**
 * Provides a database for all tests of a file and suppresses the workers' logs.
 * @returns a function that returns the database once the tests run.
 */
export const quietDatabase = (options: Parameters<typeof startDatabase>[0] = {}): (() => TestDatabase) => {
  let database: TestDatabase;
  beforeAll(async () => {
    vi.spyOn(console, "log").mockImplementation(() => undefined);
    database = await startDatabase(options);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await database.close();
  });
  return () => database;
};
