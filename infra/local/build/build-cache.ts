import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import { withFileLock } from "../host/file-lock.ts";
import { linkTree } from "./linked-tree.ts";

/** A build step whose output directory depends only on a cache key. */
export interface Build {
  /** Name of the build; also the name of its directory in the cache. */
  readonly name: string;
  /** Computes the cache key, a valid directory name. Called again after the build, to detect sources that changed meanwhile. */
  key(): string;
  /** Builds into an empty directory. */
  make(directory: string): Promise<void>;
}

/** A cache of builds that survives restarts and is shared between processes. */
export interface BuildCache {
  /**
   * Replaces the directory `output` by the build's files.
   *
   * A build that is not cached is made first, by one process while the others wait; if its key changes meanwhile, the build is
   * repeated. Errors of `make` are passed on, and nothing is cached.
   */
  provide(build: Build, output: string): Promise<void>;
}

/** Maximum cached entries per build name. All bundles take 50 MB; a test run needs three assemblies. */
const maxEntries = 5;

/** Name prefix of directories that are being built or deleted, so that they are never used as cache entries. */
const temporaryPrefix = "unfinished-";

const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

/** Links a cache entry to the output directory. @returns false if the entry does not exist. */
const linkEntry = (entry: string, output: string): boolean => {
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

/** Removes directories of killed builds and the least recently used entries. The caller must hold the lock. */
const removeOldEntries = (buildDirectory: string): void => {
  const paths = readdirSync(buildDirectory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(buildDirectory, name));
  const isTemporary = (path: string): boolean => basename(path).startsWith(temporaryPrefix);
  const lastUsedAt = (path: string): number => statSync(path).mtimeMs;
  for (const path of paths.filter(isTemporary)) remove(path);
  const entries = paths.filter((path) => !isTemporary(path)).toSorted((a, b) => lastUsedAt(b) - lastUsedAt(a));
  for (const path of entries.slice(maxEntries)) {
    const temporary = join(buildDirectory, temporaryPrefix + basename(path));
    renameSync(path, temporary);
    remove(temporary);
  }
};

/**
 * Opens a build cache. Any number of processes may share its directory; a killed process leaves no incomplete entry.
 *
 * Not supported: integrity checks of entries on disks that lose writes. Deleting the whole directory is always safe.
 *
 * @param onBuild callback with the name of each build that is not cached
 */
export const openBuildCache = (directory: string, onBuild: (name: string) => void = () => undefined): BuildCache => {
  const provide = async (build: Build, output: string): Promise<void> => {
    const key = build.key();
    // One lock per build name, so that a fast build does not wait for a slow one.
    const buildDirectory = join(directory, build.name);
    const entry = join(buildDirectory, key);
    if (linkEntry(entry, output)) return;
    mkdirSync(buildDirectory, { recursive: true });
    const isProvided = await withFileLock(join(buildDirectory, "lock"), async () => {
      if (linkEntry(entry, output)) return true;
      onBuild(build.name);
      removeOldEntries(buildDirectory);
      const temporary = mkdtempSync(join(buildDirectory, temporaryPrefix));
      await build.make(temporary);
      if (build.key() !== key) return false;
      renameSync(temporary, entry);
      return linkEntry(entry, output);
    });
    if (!isProvided) await provide(build, output);
  };
  return { provide };
};
