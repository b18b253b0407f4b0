import { scoreNumber } from "./number.ts";
import type { Score, ScoreStatus } from "./score.ts";
import type { Instant } from "../instant.ts";

/** A score of a session, other than a category, at a point in time. */
export interface HistoryPoint {
  readonly metric_name: string;
  readonly score: number | null;
  /** False if the metric does not apply: the score is then a placeholder. */
  readonly applicable: boolean | null;
  readonly eval_run_id: string | null;
  readonly created_at: Instant;
  readonly status: ScoreStatus;
  /** True if the session has changed since; null if unknown. */
  readonly stale: boolean | null;
}

/** Converts a score to a point of its session's history. */
export const historyPoint = ({ stale, ...score }: Score & Pick<HistoryPoint, "stale">): HistoryPoint => ({
  metric_name: score.name,
  score: scoreNumber({ ...score, applicable: true }),
  applicable: score.applicable,
  eval_run_id: score.eval_run_id,
  created_at: score.created_at,
  status: score.status,
  stale,
});
