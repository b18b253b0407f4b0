import type { Score, ScoreStatus } from "./score.ts";
import type { Instant } from "../instant.ts";

/** A numeric score of a session at a point in time. */
export interface HistoryPoint {
  readonly metric_name: string;
  readonly score: number | null;
  readonly eval_run_id: string | null;
  readonly created_at: Instant;
  readonly status: ScoreStatus;
  /** True if the session has changed since; null if unknown. */
  readonly stale: boolean | null;
}

/** Converts a numeric score to a point of its session's history. */
export const historyPoint = ({
  name,
  value,
  eval_run_id,
  created_at,
  status,
  stale,
}: Score & Pick<HistoryPoint, "stale">): HistoryPoint => ({
  metric_name: name,
  score: value === null ? null : Number(value),
  eval_run_id,
  created_at,
  status,
  stale,
});
