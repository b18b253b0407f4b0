import type { JsonObject } from "../json.ts";
import type { Instant } from "../instant.ts";
import type { Citation } from "./evidence.ts";
import type { JudgeIdentity } from "./judge-identity.ts";

export const scoreStatuses = ["SUCCESS", "FAILED", "PENDING"] as const;
export type ScoreStatus = (typeof scoreStatuses)[number];

/** Who produced the judgement, not how it arrived. */
export const scoreSources = ["AUTOMATED", "ANNOTATION", "PROGRAMMATIC"] as const;
export type ScoreSource = (typeof scoreSources)[number];

export const scoreDataTypes = ["NUMERIC", "BOOLEAN", "CATEGORICAL"] as const;
export type ScoreDataType = (typeof scoreDataTypes)[number];

/** What a score said before a person changed it for the first time. */
export interface OriginalScore {
  readonly value: string | null;
  readonly reason: string | null;
  readonly status: ScoreStatus;
  readonly source: ScoreSource;
  readonly applicable: boolean | null;
  /** The judge's id; null where none of ours had said it, and of what was edited in a version before. */
  readonly judge: string | null;
  /** Whether it was a success as its metadata said; null where they said nothing. */
  readonly success: boolean | null;
  /** When it said so. */
  readonly at: Instant;
}

/** What a score rests on. Null is what is not known: of the scores of a version before, and where nobody judged. */
interface ScoreGrounds {
  readonly judge: JudgeIdentity | null;
  /** False: the value is the one that clients expect, and no statistic counts it. */
  readonly applicable: boolean | null;
  /** Why it does not apply. */
  readonly inapplicable_code: string | null;
  readonly original: OriginalScore | null;
  readonly evidence: Citation[] | null;
  /** Of what the judge cited, how much the record does not have. */
  readonly evidence_dropped: number | null;
}

/** What every score has. `value` is a decimal for NUMERIC, `true` or `false` for BOOLEAN, null when judging failed. */
export interface Score extends ScoreGrounds {
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
  /** The span that it is about; null: the whole trace. */
  readonly span_id: string | null;
  /** Version of the trace's row that was judged. */
  readonly trace_version: number | null;
  /** When the trace started as it was judged: where its row lay. */
  readonly trace_started_at: Instant | null;
}

/** A score of a trace that a session's score rests on, and whose it is. */
export interface SessionSignal {
  readonly trace_id: string;
  /** That was judged; null where it is not known. */
  readonly trace_version: number | null;
  readonly name: string;
  /** In [0, 1]. */
  readonly value: number;
  readonly score_id: string;
  readonly source: ScoreSource;
  /** The judge's id; null of people and programs, as the two below. */
  readonly judge: string | null;
  /** `<provider>/<model>`. */
  readonly model: string | null;
  readonly prompt_version: string | null;
}

/** A score of a session. */
export interface SessionScore extends Score {
  readonly session_id: string;
  /** Of the traces that were judged, see `sessionVersion`. */
  readonly session_version: string | null;
  /** The scores of its traces that it rests on, of a long session those of the traces that cost most; null where it rests on none. */
  readonly signals: SessionSignal[] | null;
}

/** A number to the four places that a judge's scores and their metadata have. */
export const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

/** A judge's value as the wire has it: rounded, `1.0` rather than `1`. */
export const formatValue = (value: number): string => {
  const shown = rounded(value);
  return Number.isInteger(shown) ? `${shown}.0` : String(shown);
};
