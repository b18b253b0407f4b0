import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { mapConcurrently } from "../async/concurrency.ts";
import type { Instant } from "../domain/instant.ts";
import { anyWord } from "../domain/traces/search/word-index.ts";
import type { LakeEngine } from "./engine.ts";
import { keysOfPart } from "./object-keys.ts";
import type { ObjectStore } from "./object-store.ts";
import { instantsWith, shardOf } from "./word-files.ts";

/** Event with which the lake's function looks words up, instead of writing. */
export const lookupEvent = v.object({
  lookup: v.object({
    parts: v.array(v.object({ key: v.string(), shards: v.number() })),
    words: v.array(v.string()),
    from: v.string(),
    to: v.string(),
    limit: v.number(),
  }),
});

export type WordLookup = v.InferOutput<typeof lookupEvent>["lookup"];

/** Files that are fetched at the same time, and files that are kept for later lookups: a few gigabytes at most. */
const [parallel, maxKept] = [16, 800];

/** Returns a function that finds the newest instants at which traces have all words. @param directory folder for copies of files. */
export const wordLookup = (objects: Pick<ObjectStore, "download">, engine: LakeEngine, directory: string) => {
  const kept = new Map<string, Promise<string>>();

  const fetchFile = async (key: string): Promise<string> => {
    const path = join(directory, key.replaceAll("/", "_"));
    await mkdir(directory, { recursive: true });
    // The next generation of the day has replaced it: the caller reads documents instead.
    if (!(await objects.download(key, path))) throw new Error("A file of the index of words does not exist any more.");
    return path;
  };

  const pathOf = async (key: string): Promise<string> => {
    const path = kept.get(key) ?? fetchFile(key);
    kept.set(key, path);
    try {
      return await path;
    } catch (error) {
      kept.delete(key);
      throw error;
    }
  };

  return async ({ parts, words, ...range }: WordLookup): Promise<readonly Instant[]> => {
    if (kept.size > maxKept) {
      kept.clear();
      await rm(directory, { recursive: true, force: true });
    }
    const keys = parts
      .filter(({ shards }) => shards > 0)
      .flatMap((part) => {
        const shards = new Set([...words, anyWord].map((word) => shardOf(word, part.shards)));
        return keysOfPart(part).filter((_, shard) => shards.has(shard));
      });
    const paths = await mapConcurrently(keys, parallel, pathOf);
    return paths.length === 0 ? [] : await instantsWith(engine, paths, words, range);
  };
};
