import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { filesBelow } from "./files-below.ts";

/** The source files that a build depends on. */
export interface BuildSources {
  /** Absolute path that all other paths are relative to. */
  readonly root: string;
  /** Folders whose files all belong to the sources, except files below a folder in `except`. */
  readonly folders: readonly string[];
  readonly except?: readonly string[];
  /** Single files; a missing file is left out of the key. */
  readonly files: readonly string[];
}

/** Lists the existing source files, sorted, as paths relative to the root with `/` as separator. */
export const sourceFiles = ({ root, folders, except = [], files }: BuildSources): readonly string[] =>
  [
    ...folders.flatMap((folder) => filesBelow(join(root, folder)).map((file) => join(folder, file))),
    ...files.filter((file) => existsSync(join(root, file))),
  ]
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !except.some((folder) => path.startsWith(`${folder}/`)))
    .toSorted();

/**
 * Computes the cache key of a build: the SHA-256, in 64 hexadecimal digits, of the paths and contents of the sources, the Node.js
 * version and the `facts`.
 *
 * @param facts further inputs of the build, such as settings
 */
export const contentKey = (sources: BuildSources, facts: Readonly<Record<string, unknown>> = {}): string => {
  const key = createHash("sha256").update(JSON.stringify({ node: process.version, ...facts }));
  for (const path of sourceFiles(sources)) {
    const bytes = readFileSync(join(sources.root, path));
    key.update(`\0${path}\0${bytes.length}\0`).update(bytes);
  }
  return key.digest("hex");
};
