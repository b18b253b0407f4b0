import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** The value of a JSON file, or `undefined` when there is none. */
export const readJson = <T>(path: string): T | undefined =>
  existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as T) : undefined;

/** Replaces a JSON file in one step, readable by its owner only: a reader never sees half of it. */
export const writeJson = (path: string, value: unknown): void => {
  mkdirSync(dirname(path), { recursive: true });
  const next = `${path}.${process.pid}.next`;
  writeFileSync(next, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(next, path);
};
