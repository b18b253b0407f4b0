import { hash } from "node:crypto";
import type { Vector } from "../providers/provider.ts";

/** Maximum total length of all cached vectors: 4 million numbers, 16 MB. */
const maxCachedNumbers = 4_194_304;

/** Cache of recent embeddings, by model and text. */
export interface EmbeddingCache {
  get(model: string, text: string): Vector | undefined;
  put(model: string, text: string, vector: Vector): void;
}

const keyOf = (model: string, text: string): string => hash("sha256", `${model}\n${text}`, "base64");

/** Creates an empty cache that evicts the least recently used vectors. @param limit maximum total length of all vectors. */
export const embeddingCache = (limit: number = maxCachedNumbers): EmbeddingCache => {
  const vectors = new Map<string, Float32Array>();
  let numbers = 0;
  return {
    get: (model, text) => {
      const key = keyOf(model, text);
      const vector = vectors.get(key);
      if (vector === undefined) return undefined;
      vectors.delete(key);
      vectors.set(key, vector);
      return vector;
    },
    put: (model, text, vector) => {
      const key = keyOf(model, text);
      numbers += vector.length - (vectors.get(key)?.length ?? 0);
      vectors.set(key, Float32Array.from(vector));
      for (const [oldest, { length }] of vectors) {
        if (numbers <= limit) break;
        vectors.delete(oldest);
        numbers -= length;
      }
    },
  };
};
