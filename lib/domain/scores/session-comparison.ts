import { byCodePoint } from "../text.ts";
import type { Instant } from "../instant.ts";

/** The newest successful numeric score of a session under one name. */
export interface LatestScore {
  readonly session: string;
  /** Value of the score; null if a person changed a failed score to a success without giving a value. */
  readonly score: number | null;
  readonly at: Instant;
  readonly run: string | null;
  /** Version of the judged session, as `sessionVersion` computes it; null if unknown. */
  readonly version: string | null;
}

/**
 * Sorts sessions by score, then by id, both in the same direction; sessions without a value come last in both
 * directions.
 */
export const comparedSessions = (scores: readonly LatestScore[], order: "asc" | "desc"): LatestScore[] => {
  const sign = order === "asc" ? 1 : -1;
  return scores.toSorted((a, b) => {
    if (a.score === null || b.score === null) {
      if (a.score !== b.score) return a.score === null ? 1 : -1;
      return sign * byCodePoint(a.session, b.session);
    }
    return sign * (a.score < b.score ? -1 : a.score > b.score ? 1 : byCodePoint(a.session, b.session));
  });
};
