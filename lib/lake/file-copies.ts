import { randomUUID } from "node:crypto";
import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { mapConcurrently } from "../async/concurrency.ts";
import type { ObjectStore } from "./object-store.ts";

/** Files that are fetched at the same time. */
const parallel = 16;

/** Bytes of copies that are kept: the writer needs the rest of the function's disk. */
const maxBytesOfCopies = 3_000_000_000;

/** A copy of an object. */
interface Copy {
  readonly key: string;
  readonly path: string;
  /** Calls that read it. */
  uses: number;
  /** 0 until it is complete. */
  bytes: number;
  whole?: Promise<void>;
}

/**
 * Returns a function that has local copies of objects while `work` reads them. Copies are kept for later calls of the process; when they take
 * too many bytes, those that were used longest ago are deleted.
 *
 * The function throws an Error if an object does not exist any more: the next generation of the day has replaced it.
 *
 * @param directory folder of the copies.
 */
export const fileCopies = (objects: Pick<ObjectStore, "download">, directory: string, maxBytes = maxBytesOfCopies) => {
  /** Copies by the key of their object, the one that was used last at the end. */
  const copies = new Map<string, Copy>();
  const download = async (copy: Copy): Promise<void> => {
    try {
      await mkdir(directory, { recursive: true });
      if (!(await objects.download(copy.key, copy.path)))
        throw new Error("A file of the lake does not exist any more.");
      copy.bytes = (await stat(copy.path)).size;
    } catch (error) {
      copies.delete(copy.key);
      await rm(copy.path, { force: true });
      throw error;
    }
  };

  const take = (key: string): Copy => {
    // Paths of their own: a copy may be taken anew while the earlier one is being deleted.
    const copy = copies.get(key) ?? { key, path: join(directory, randomUUID()), uses: 0, bytes: 0 };
    copies.delete(key);
    copies.set(key, copy);
    copy.uses += 1;
    return copy;
  };

  /** Deletes copies that nothing reads, until the others fit. */
  const shrink = async (): Promise<void> => {
    let total = copies.values().reduce((sum, { bytes }) => sum + bytes, 0);
    for (const copy of [...copies.values()].filter(({ uses }) => uses === 0)) {
      if (total <= maxBytes) return;
      copies.delete(copy.key);
      total -= copy.bytes;
      await rm(copy.path, { force: true });
    }
  };

  return async <Result>(keys: readonly string[], work: (paths: readonly string[]) => Promise<Result>) => {
    const taken = keys.map(take);
    try {
      await mapConcurrently(taken, parallel, (copy) => (copy.whole ??= download(copy)));
      return await work(taken.map(({ path }) => path));
    } finally {
      for (const copy of taken) copy.uses -= 1;
      await shrink();
    }
  };
};

export type FileCopies = ReturnType<typeof fileCopies>;
