import { byCodePoint } from "../text.ts";
import { countingScore, giverOf, rankOfScore, type ScoreGiver } from "./precedence.ts";
import type { TraceScore } from "./score.ts";

/** Returns the newest score of each name that counts, ordered by name. @param scores newest first. */
export const latestByName = async (scores: AsyncIterable<TraceScore>): Promise<readonly TraceScore[]> => {
  const latest = new Map<string, Record<ScoreGiver, TraceScore | null>>();
  for await (const score of scores) {
    const newest = latest.get(score.name) ?? { person: null, program: null };
    newest[giverOf(score.source)] ??= score;
    latest.set(score.name, newest);
  }
  return [...latest.values()]
    .flatMap((newest) => countingScore(newest, rankOfScore) ?? [])
    .toSorted((a, b) => byCodePoint(a.name, b.name));
};
