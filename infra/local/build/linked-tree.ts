import { copyFileSync, linkSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow } from "./files-below.ts";

const isSameFile = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
};

const linkFile = (from: string, to: string): void => {
  mkdirSync(dirname(to), { recursive: true });
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw error;
    // Another file system, or one without links.
    copyFileSync(from, to);
  }
};

/**
 * Makes `to` the same tree of files as `from`, by links: the files outlive the removal of `from`. A tree that is whole
 * already is left as it is.
 *
 * @throws Error (ENOENT) when `from` does not exist, or is removed meanwhile.
 */
export const linkTree = (from: string, to: string): void => {
  const pairs = filesBelow(from).map((file) => [join(from, file), join(to, file)] as const);
  if (pairs.every(([source, target]) => isSameFile(source, target))) return;
  rmSync(to, { recursive: true, force: true });
  for (const [source, target] of pairs) linkFile(source, target);
};
