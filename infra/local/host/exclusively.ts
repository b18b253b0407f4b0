import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

/** SQLite's result code for "somebody else holds the lock". */
const busy = 5;

const isHeld = (lock: DatabaseSync): boolean => {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode === busy) return false;
    throw error;
  }
};

/**
 * Does the work while no other process does work under the same file, whose directory exists.
 *
 * The lock is SQLite's, so the operating system's: it is free again as soon as its holder ends, `kill -9` included.
 */
export const exclusively = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  const lock = new DatabaseSync(path);
  try {
    while (!isHeld(lock)) await sleep(50);
    return await work();
  } finally {
    lock.close();
  }
};
