import { afterAll, beforeAll, vi } from "vitest";
import { startDatabase, type TestDatabase } from "./database.ts";

/** A database for all tests of a file, in which the workers' logs are not printed. @returns what gives it, once they run. */
export const quietDatabase = (): (() => TestDatabase) => {
  let database: TestDatabase;
  beforeAll(async () => {
    vi.spyOn(console, "log").mockImplementation(() => undefined);
    database = await startDatabase();
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await database.close();
  });
  return () => database;
};
