import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const filesOf = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

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
    ...folders.flatMap((folder) => filesOf(join(root, folder))),
    ...files.map((file) => join(root, file)).filter((path) => existsSync(path)),
  ]
    .map((path) => relative(root, path).replaceAll("\\", "/"))
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
