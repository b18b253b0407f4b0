import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installProgram, pythonOf } from "./installation.ts";

/** What readers found in a table: its types by pyarrow, and rows by each reader. */
interface Found {
  readonly types: Readonly<Record<string, string>>;
  readonly readers: Readonly<Record<"pandas" | "pyarrow" | "duckdb", readonly unknown[]>>;
}

const packages = ["pandas==3.1.1", "pyarrow==26.0.1", "duckdb==2.0.1"];

/** Reads the files in a folder by packages of Python. @throws Error with the program's output if it fails. */
export const readByPython = (folder: string): Readonly<Record<"traces" | "scores", Found>> => {
  const installation = installProgram({ topic: "exports", language: "Python", packages }, "pinned");
  const program = join(import.meta.dirname, "python/read_lake.py");
  const { stdout, stderr, status } = spawnSync(pythonOf(installation.folder), [program, folder], { encoding: "utf8" });
  if (status !== 0) throw new Error(`The program failed:\n${stderr}`);
  return JSON.parse(stdout) as Readonly<Record<"traces" | "scores", Found>>;
};
