import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

/** Lists all files below a directory, at any depth, as relative paths. @throws Error (ENOENT) when the directory does not exist. */
export const filesBelow = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
