import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

/** SQLite's result code SQLITE_BUSY: another process holds the lock. */
const sqliteBusy = 5;

const tryLock = (lock: DatabaseSync): boolean => {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode === sqliteBusy) return false;
    throw error;
  }
};

/**
 * Runs work while holding an exclusive lock between processes.
 *
 * SQLite takes the lock from the operating system, which releases it when the process ends, even by `kill -9`.
 *
 * @param path lock file; its directory must exist
 */
export const withFileLock = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  // Loaded here, because Node.js 22 prints a warning then, which commands without a lock need not show.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const lock = new DatabaseSync(path);
  try {
    while (!tryLock(lock)) await sleep(50);
    return await work();
  } finally {
    lock.close();
  }
};
