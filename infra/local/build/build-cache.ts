import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { basename, join } from "node:path";
import { exclusively } from "../host/exclusively.ts";

/** Directories that follow from a key, kept for the next start and for other processes. */
export interface BuildCache {
  /**
   * Puts the directory that a key stands for at `output`, in place of what is there.
   *
   * When nobody has made it yet it is made first, by one process while others wait. Made while its key changes, it is
   * made again.
   *
   * @param make fills a directory; what it throws is passed on, and nothing is kept
   */
  provide(keyOf: () => string, output: string, make: (directory: string) => Promise<void>): Promise<void>;
}

/** An assembly weighs 50 MB; a test run needs five builds. */
const kept = 8;

/** How the name of a directory begins that is being made or deleted: it is never taken for an entry. */
const unfinished = "unfinished-";

const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

const linkFile = (from: string, to: string): void => {
  try {
    linkSync(from, to);
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw error;
    // Another file system, or one without links.
    copyFileSync(from, to);
  }
};

const linkTree = (from: string, to: string): void => {
  const entries = readdirSync(from, { withFileTypes: true });
  mkdirSync(to, { recursive: true });
  for (const entry of entries) {
    const paths = [join(from, entry.name), join(to, entry.name)] as const;
    if (entry.isDirectory()) linkTree(...paths);
    else linkFile(...paths);
  }
};

/** Links an entry's files, so that its removal does not touch who uses them. @returns whether the entry was there. */
const take = (entry: string, output: string): boolean => {
  remove(output);
  try {
    linkTree(entry, output);
    const now = new Date();
    utimesSync(entry, now, now);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT" && !existsSync(entry)) return false;
    throw error;
  }
};

/** Removes what killed processes left, and the entries that were not used for longest. Only under the lock. */
const tidy = (directory: string): void => {
  const paths = readdirSync(directory, { withFileTypes: true })
    .filter((found) => found.isDirectory())
    .map(({ name }) => join(directory, name));
  const [left = [], entries = []] = [true, false].map((expected) =>
    paths.filter((path) => basename(path).startsWith(unfinished) === expected),
  );
  const used = (path: string): number => statSync(path).mtimeMs;
  for (const path of left) remove(path);
  for (const path of entries.toSorted((a, b) => used(b) - used(a)).slice(kept)) {
    const leaving = join(directory, unfinished + basename(path));
    renameSync(path, leaving);
    remove(leaving);
  }
};

/**
 * Opens a cache of builds. Any number of processes may share its directory; one that is killed leaves nothing that is
 * believed.
 *
 * Does not do: a check of what is kept, for disks that lose what was written; deleting the directory is always right.
 */
export const openBuildCache = (directory: string): BuildCache => {
  const provide: BuildCache["provide"] = async (keyOf, output, make) => {
    const key = keyOf();
    const entry = join(directory, key);
    if (take(entry, output)) return;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const isMade = await exclusively(join(directory, "lock"), async () => {
      if (take(entry, output)) return true;
      tidy(directory);
      const making = mkdtempSync(join(directory, unfinished));
      await make(making);
      if (keyOf() !== key) return false;
      renameSync(making, entry);
      return take(entry, output);
    });
    if (!isMade) await provide(keyOf, output, make);
  };
  return { provide };
};
