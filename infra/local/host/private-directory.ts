import { chmodSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Permission bits of everybody but the owner. */
const ofOthers = 0o077;

/**
 * Creates a directory whose files, and those of its directories, only the owner may read: those that it has, and those that this process
 * and its children create from now on. Symbolic links are not followed.
 */
export const openPrivateDirectory = (directory: string): void => {
  process.umask(ofOthers);
  mkdirSync(directory, { recursive: true });
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" }).map((name) => join(directory, name));
  for (const path of [directory, ...paths]) {
    // A database in use, perhaps by another service, removes files meanwhile.
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined || status.isSymbolicLink() || (status.mode & ofOthers) === 0) continue;
    chmodSync(path, status.mode & 0o700);
  }
};
