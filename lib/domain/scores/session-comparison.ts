import { byCodePoint } from "../order.ts";
import type { Instant } from "../instant.ts";

/** The newest successful numeric score of a session under one name. */
export interface LatestScore {
  readonly session: string;
  /** Null when a person made a failed score a success without a value. */
  readonly score: number | null;
  readonly at: Instant;
  readonly run: string | null;
  /** Of the traces that were judged, see `sessionVersion`; null where it is not known. */
  readonly version: string | null;
}

/** Sessions by score, then by id, both in the same direction; those without a value last in both. */
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
