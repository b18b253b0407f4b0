import { existsSync, readdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";

const directory = resolve(import.meta.dirname, "../../../node_modules/.cache/compiled-for-tests");

/** Environment variable of the code that Node.js keeps compiled between runs, for processes that inherit no variables. */
export const compileCache = { NODE_COMPILE_CACHE: directory };

/** Maximum number of entries: some 150 MB, ten whole runs. */
const maxEntries = 30_000;

/**
 * Removes the compiled code if it has too many entries. Vitest loads files of tests and their set-up from new addresses each time, so
 * that a whole run adds 2,500 entries which are never read.
 */
export const boundCompileCache = (): void => {
  const entries = existsSync(directory) ? readdirSync(directory, { recursive: true }) : [];
  if (entries.length > maxEntries) rmSync(directory, { recursive: true });
};
