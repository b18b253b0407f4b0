import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openEngine, type LakeEngine } from "../../../lib/lake/engine.ts";

/** Makes a folder that is removed at the end of the test. */
export const temporaryFolder = (): string => {
  const directory = mkdtempSync(join(tmpdir(), "assay-lake-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

/** Opens DuckDB as a function of 1,769 MB does. */
export const openTestEngine = (directory: string): Promise<LakeEngine> => {
  const packagePath = join(import.meta.dirname, "../../..", "/");
  return openEngine({ packagePath, directory, memoryMegabytes: 700, threads: 1 });
};

/** Opens DuckDB until the end of the test. */
export const testEngine = async (directory: string): Promise<LakeEngine> => {
  const engine = await openTestEngine(directory);
  onTestFinished(() => engine.close());
  return engine;
};

/** Writes rows as lines of JSON. @returns the path. */
export const writeLines = (path: string, rows: readonly unknown[]): string => {
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return path;
};
