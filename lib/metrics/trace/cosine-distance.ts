import type { Vector } from "../../judge/providers/embed.ts";

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
