import { randomUUID } from "node:crypto";
import { copyFile, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
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
  download: async (key, path) => {
    try {
      await copyFile(join(folder, key), path);
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
  },
  list: async (prefix) => {
    try {
      const entries = await readdir(join(folder, prefix), { withFileTypes: true, recursive: true });
      return entries
        .filter((entry) => entry.isFile() && !entry.name.startsWith(unfinished))
        .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll("\\", "/"));
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  },
  remove: (key) => rm(join(folder, key), { force: true }),
});
