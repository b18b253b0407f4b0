import { randomUUID } from "node:crypto";
import { copyFile, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ObjectStore } from "./object-store.ts";

/** Prefix of the names of files that are being written. */
const unfinished = ".unfinished-";

const isAbsent = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";

/** Keeps the lake's files in a folder, for the local runtime. */
export const folderStore = (folder: string): ObjectStore => ({
  put: async (key, path) => {
    const target = join(folder, key);
    const partial = join(dirname(target), `${unfinished}${randomUUID()}`);
    await mkdir(dirname(target), { recursive: true });
    await copyFile(path, partial);
    await rename(partial, target);
  },
  download: (key, path) => copyFile(join(folder, key), path),
  list: async (prefix) => {
    try {
      const names = await readdir(join(folder, prefix));
      return names.filter((name) => !name.startsWith(unfinished)).map((name) => `${prefix}${name}`);
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  },
  remove: (key) => rm(join(folder, key), { force: true }),
});
