import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

/** The files below a directory, however deep, as paths relative to it. @throws Error (ENOENT) when it does not exist. */
export const filesBelow = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
