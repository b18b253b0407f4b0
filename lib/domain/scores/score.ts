import type { JsonObject } from "../json.ts";
import type { Instant } from "../instant.ts";

export const scoreStatuses = ["SUCCESS", "FAILED", "PENDING"] as const;
export type ScoreStatus = (typeof scoreStatuses)[number];

/** Who produced the judgement, not how it arrived. */
export const scoreSources = ["AUTOMATED", "ANNOTATION", "PROGRAMMATIC"] as const;
export type ScoreSource = (typeof scoreSources)[number];

export const scoreDataTypes = ["NUMERIC", "BOOLEAN", "CATEGORICAL"] as const;
export type ScoreDataType = (typeof scoreDataTypes)[number];

/** What every score has. `value` is a decimal for NUMERIC, `true` or `false` for BOOLEAN, null when judging failed. */
export interface Score {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly value: string | null;
  readonly data_type: ScoreDataType;
  readonly status: ScoreStatus;
  readonly source: ScoreSource;
  readonly reason: string | null;
  readonly metadata: JsonObject;
  readonly eval_run_id: string | null;
  readonly author_user_id: string | null;
  readonly created_at: Instant;
  readonly updated_at: Instant;
}

/** A score of a trace; `environment` is the trace's. */
export interface TraceScore extends Score {
  readonly trace_id: string;
  readonly environment: string | null;
  readonly config_id: string | null;
}

/** A score of a session. */
export interface SessionScore extends Score {
  readonly session_id: string;
}

/** A number to the four places that a judge's scores and their metadata have. */
export const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

/** A judge's value as the wire has it: rounded, `1.0` rather than `1`. */
export const formatValue = (value: number): string => {
  const shown = rounded(value);
  return Number.isInteger(shown) ? `${shown}.0` : String(shown);
};
