import { createHash } from "node:crypto";
import type { Vector } from "../providers/provider.ts";

/** Numbers that all kept vectors have together: 16 MB. */
const maxNumbers = 4_194_304;

/** Vectors of texts that were embedded lately, by model and content. */
export interface EmbeddingCache {
  get(model: string, text: string): Vector | undefined;
  put(model: string, text: string, vector: Vector): void;
}

const keyOf = (model: string, text: string): string =>
  createHash("sha256").update(`${model}\n`).update(text).digest("base64");

/** Nothing kept yet. What was asked for longest ago goes first. */
export const embeddingCache = (limit: number = maxNumbers): EmbeddingCache => {
  const kept = new Map<string, Float32Array>();
  let numbers = 0;
  return {
    get: (model, text) => {
      const key = keyOf(model, text);
      const vector = kept.get(key);
      if (vector === undefined) return undefined;
      kept.delete(key);
      kept.set(key, vector);
      return vector;
    },
    put: (model, text, vector) => {
      const key = keyOf(model, text);
      numbers += vector.length - (kept.get(key)?.length ?? 0);
      kept.set(key, Float32Array.from(vector));
      for (const [oldest, { length }] of kept) {
        if (numbers <= limit) break;
        kept.delete(oldest);
        numbers -= length;
      }
    },
  };
};
