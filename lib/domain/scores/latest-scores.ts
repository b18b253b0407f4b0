import { byCodePoint } from "../text.ts";
import type { Score } from "./score.ts";

/** Returns the newest score of each name, ordered by name. @param scores newest first. */
export const latestByName = async <S extends Score>(scores: AsyncIterable<S>): Promise<S[]> => {
  const latest = new Map<string, S>();
  for await (const score of scores) if (!latest.has(score.name)) latest.set(score.name, score);
  return [...latest.values()].toSorted((a, b) => byCodePoint(a.name, b.name));
};
