import type { Vector } from "../../judge/providers/provider.ts";

/** Computes the cosine distance of two vectors of equal length, clamped to [0, 1]; 1 for a zero vector. */
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

/** English words without a meaning of their own. */
const stopWords = new Set(
  (
    "a above after all an and any are as at be been before being below both but by can could did do does during each " +
    "either every few for from had has have in into is it its may might more most neither no nor not of on only or " +
    "other own same shall should so some such than the through to too very was were will with would yet"
  ).split(" "),
);

/** Returns the distinct words of a text in lower case, without stop words and single letters. */
const wordsOf = (text: string): ReadonlySet<string> => {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  return new Set(words.filter((word) => word.length > 1 && !stopWords.has(word)));
};

/** Computes the Jaccard similarity of the words of two texts, 0 to 1; 0 if neither has words. */
export const wordSimilarity = (a: string, b: string): number => {
  const [wordsA, wordsB] = [wordsOf(a), wordsOf(b)];
  const unionSize = wordsA.union(wordsB).size;
  return unionSize === 0 ? 0 : wordsA.intersection(wordsB).size / unionSize;
};
