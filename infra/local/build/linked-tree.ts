import { copyFileSync, linkSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow } from "./files-below.ts";

const isSameFile = (first: string, second: string): boolean => {
  const [a, b] = [first, second].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
};

const linkFile = (from: string, to: string): void => {
  mkdirSync(dirname(to), { recursive: true });
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw error;
    // The target is on another file system, or the file system has no hard links.
    copyFileSync(from, to);
  }
};

/**
 * Replaces the directory `to` by hard links to all files of `from`; the files survive the removal of `from`. Does nothing if all
 * links exist already.
 *
 * @throws Error (ENOENT) when `from` does not exist or is removed meanwhile.
 */
export const linkTree = (from: string, to: string): void => {
  const pairs = filesBelow(from).map((file) => [join(from, file), join(to, file)] as const);
  if (pairs.every(([source, target]) => isSameFile(source, target))) return;
  rmSync(to, { recursive: true, force: true });
  for (const [source, target] of pairs) linkFile(source, target);
};
