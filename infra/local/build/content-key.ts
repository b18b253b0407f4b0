import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { filesBelow } from "./files-below.ts";

/** The files that a build is made from. */
export interface BuildSources {
  /** Absolute; the paths in the key are relative to it. */
  readonly root: string;
  /** All files below these count, but for those below `except`. */
  readonly folders: readonly string[];
  readonly except?: readonly string[];
  /** Single files; one that does not exist counts as such. */
  readonly files: readonly string[];
}

/** The files that there are, with `/` between folders, in order. */
export const sourceFiles = ({ root, folders, except = [], files }: BuildSources): readonly string[] =>
  [
    ...folders.flatMap((folder) => filesBelow(join(root, folder)).map((file) => join(folder, file))),
    ...files.filter((file) => existsSync(join(root, file))),
  ]
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !except.some((folder) => path.startsWith(`${folder}/`)))
    .toSorted();

/**
 * What a build follows from, in 64 hexadecimal digits: the sources by path and content, the version of Node.js, and the
 * facts beside them.
 */
export const contentKey = (sources: BuildSources, facts: Readonly<Record<string, unknown>> = {}): string => {
  const key = createHash("sha256").update(JSON.stringify({ node: process.version, ...facts }));
  for (const path of sourceFiles(sources)) {
    const bytes = readFileSync(join(sources.root, path));
    key.update(`\0${path}\0${bytes.length}\0`).update(bytes);
  }
  return key.digest("hex");
};
