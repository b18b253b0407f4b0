import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import { exclusively } from "../host/exclusively.ts";
import { linkTree } from "./linked-tree.ts";

/** A directory that follows from a key. */
export interface Build {
  /** What it is, as a directory may be named. */
  readonly name: string;
  /** What it follows from, as a directory may be named; asked again once it is made. */
  key(): string;
  /** Fills an empty directory. */
  make(directory: string): Promise<void>;
}

/** Builds, kept for the next start and for other processes. */
export interface BuildCache {
  /**
   * Puts a build at `output`, in place of what is there.
   *
   * When nobody has made it yet it is made first, by one process while others wait. Made while its key changed, it is
   * made again. What `make` throws is passed on, and nothing is kept.
   */
  provide(build: Build, output: string): Promise<void>;
}

/** Of each name. An assembly weighs 50 MB; a test run needs three. */
const kept = 5;

/** How the name of a directory begins that is being made or deleted: it is never taken for an entry. */
const unfinished = "unfinished-";

const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

/** @returns whether the entry was there. */
const take = (entry: string, output: string): boolean => {
  try {
    linkTree(entry, output);
    const now = new Date();
    utimesSync(entry, now, now);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && !existsSync(entry)) return false;
    throw error;
  }
};

/** Removes what killed processes left, and the entries that were not used for longest. Only under the lock. */
const tidy = (shelf: string): void => {
  const paths = readdirSync(shelf, { withFileTypes: true })
    .filter((found) => found.isDirectory())
    .map(({ name }) => join(shelf, name));
  const isUnfinished = (path: string): boolean => basename(path).startsWith(unfinished);
  const used = (path: string): number => statSync(path).mtimeMs;
  for (const path of paths.filter(isUnfinished)) remove(path);
  const entries = paths.filter((path) => !isUnfinished(path)).toSorted((a, b) => used(b) - used(a));
  for (const path of entries.slice(kept)) {
    const leaving = join(shelf, unfinished + basename(path));
    renameSync(path, leaving);
    remove(leaving);
  }
};

/**
 * Opens a cache of builds. Any number of processes may share its directory; one that is killed leaves nothing that is
 * believed.
 *
 * Does not do: a check of what is kept, for disks that lose what was written; deleting the directory is always right.
 *
 * @param onBuild told the name of what has to be made
 */
export const openBuildCache = (directory: string, onBuild: (name: string) => void = () => undefined): BuildCache => {
  const provide = async (build: Build, output: string): Promise<void> => {
    const key = build.key();
    // With a lock for each name: what is built in a moment does not wait for what takes long.
    const shelf = join(directory, build.name);
    const entry = join(shelf, key);
    if (take(entry, output)) return;
    mkdirSync(shelf, { recursive: true, mode: 0o700 });
    const isProvided = await exclusively(join(shelf, "lock"), async () => {
      if (take(entry, output)) return true;
      onBuild(build.name);
      tidy(shelf);
      const making = mkdtempSync(join(shelf, unfinished));
      await build.make(making);
      if (build.key() !== key) return false;
      renameSync(making, entry);
      return take(entry, output);
    });
    if (!isProvided) await provide(build, output);
  };
  return { provide };
};
