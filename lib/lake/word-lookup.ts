import * as v from "valibot";
import type { Instant } from "../domain/instant.ts";
import { anyWord } from "../domain/traces/search/word-index.ts";
import type { LakeEngine } from "./engine.ts";
import type { FileCopies } from "./file-copies.ts";
import { keysOfPart } from "./object-keys.ts";
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

/** Returns a function that finds the newest instants at which traces have all words. */
export const wordLookup =
  (copies: FileCopies, engine: LakeEngine) =>
  async ({ parts, words, ...range }: WordLookup): Promise<readonly Instant[]> => {
    const keys = parts
      .filter(({ shards }) => shards > 0)
      .flatMap((part) => {
        const shards = new Set([...words, anyWord].map((word) => shardOf(word, part.shards)));
        return keysOfPart(part).filter((_, shard) => shards.has(shard));
      });
    if (keys.length === 0) return [];
    return await copies(keys, (paths) => instantsWith(engine, paths, words, range));
  };
