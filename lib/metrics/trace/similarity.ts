import type { Vector } from "../../judge/providers/provider.ts";

/** How far apart two vectors of one length point, 0 to 1: opposite ones are as far as unrelated ones, and so is a zero vector. */
export const cosineDistance = (a: Vector, b: Vector): number => {
  let [product, normA, normB] = [0, 0, 0];
  for (const [index, x] of a.entries()) {
    const y = b[index] ?? 0;
    product += x * y;
    normA += x * x;
    normB += y * y;
  }
  const cosine = product / Math.sqrt(normA * normB);
  return Number.isFinite(cosine) ? Math.min(1, Math.max(0, 1 - cosine)) : 1;
};

/** English words that say nothing about what a text is about. */
const stopWords = new Set(
  (
    "a above after all an and any are as at be been before being below both but by can could did do does during each " +
    "either every few for from had has have in into is it its may might more most neither no nor not of on only or " +
    "other own same shall should so some such than the through to too very was were will with would yet"
  ).split(" "),
);

/** The words of a text that carry meaning, in lower case, each once; single letters do not. */
const wordsOf = (text: string): ReadonlySet<string> => {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  return new Set(words.filter((word) => word.length > 1 && !stopWords.has(word)));
};

/** Share of their words that two texts have in common (Jaccard), 0 to 1; 0 where neither has any. */
export const wordSimilarity = (a: string, b: string): number => {
  const [of, other] = [wordsOf(a), wordsOf(b)];
  const all = of.union(other).size;
  return all === 0 ? 0 : of.intersection(other).size / all;
};
