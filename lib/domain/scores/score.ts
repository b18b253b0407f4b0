import type { JsonObject } from "../json.ts";
import type { Instant } from "../instant.ts";
import type { Citation } from "./evidence.ts";

/** The identity of a judge: scores with the same `id` come from the same prompt, answered by the same model. */
export interface JudgeIdentity {
  /** Judge model and prompt version: `<provider>/<model>#<version>`. */
  readonly id: string;
  /** Provider of the model; null if the model's name does not contain it. */
  readonly provider: string | null;
  readonly model: string;
  /**
   * Prompt fingerprint: changes with the rendering of traces, the questions, or the computation of the score from the
   * answers.
   */
  readonly version: string;
}

/** Builds a judge's identity. @param model `<provider>/<model>` as requested. @param version must not contain `#`. */
export const judgeIdentity = (model: string, version: string): JudgeIdentity => {
  const slash = model.indexOf("/");
  const provider = slash === -1 ? null : model.slice(0, slash);
  return { id: `${model}#${version}`, provider, model: model.slice(slash + 1), version };
};

/** Parses the id of a judge's identity. */
export const judgeOfId = (id: string): JudgeIdentity => {
  const end = id.lastIndexOf("#");
  return judgeIdentity(id.slice(0, end), id.slice(end + 1));
};

export const scoreStatuses = ["SUCCESS", "FAILED", "PENDING"] as const;
export type ScoreStatus = (typeof scoreStatuses)[number];

/** Origin of the judgement, not the way it was transferred. */
export const scoreSources = ["AUTOMATED", "ANNOTATION", "PROGRAMMATIC"] as const;
export type ScoreSource = (typeof scoreSources)[number];

export const scoreDataTypes = ["NUMERIC", "BOOLEAN", "CATEGORICAL"] as const;
export type ScoreDataType = (typeof scoreDataTypes)[number];

/** State of a score before its first edit by a person. */
export interface OriginalScore {
  readonly value: string | null;
  readonly reason: string | null;
  readonly status: ScoreStatus;
  readonly source: ScoreSource;
  readonly applicable: boolean | null;
  /** Id of the judge; null if the score did not come from a judge of this service. */
  readonly judge: string | null;
  /** Value of `success` in the metadata; null if absent. */
  readonly success: boolean | null;
  /** Metadata before the edit; null if they were not kept, as in scores edited before this field existed. */
  readonly metadata: JsonObject | null;
  /** Time of the last update before the edit. */
  readonly at: Instant;
}

/** Basis of a score. Fields are null if no judge was involved. */
interface ScoreGrounds {
  readonly judge: JudgeIdentity | null;
  /** False if the metric does not apply: the value is a placeholder, and statistics ignore it. */
  readonly applicable: boolean | null;
  /** Reason why the metric does not apply. */
  readonly inapplicable_code: string | null;
  readonly original: OriginalScore | null;
  readonly evidence: Citation[] | null;
  /** Number of the judge's citations that the record does not contain. */
  readonly evidence_dropped: number | null;
}

/**
 * A score of a trace or session. `value` is a decimal for NUMERIC, `true` or `false` for BOOLEAN, and null if judging
 * failed.
 */
export interface Score extends ScoreGrounds {
  readonly id: string;
  /** Id that another product's client gave the score; null for a UUID, and without one. */
  readonly external_id: string | null;
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

/** A score of a trace; `environment` is copied from the trace. */
export interface TraceScore extends Score {
  readonly trace_id: string;
  readonly environment: string | null;
  readonly config_id: string | null;
  /** Id of the span that the score is about; null for the whole trace. */
  readonly span_id: string | null;
  /** Version of the judged trace's row. */
  readonly trace_version: number | null;
  /** Version of the judged trace's content, which labels such as tags do not change; null if unknown. */
  readonly content_version: number | null;
  /** Start of the judged trace, and number of the partition of its day if it is not the first: they locate its row. */
  readonly trace_started_at: Instant | null;
  readonly trace_partition?: number | undefined;
}

/** A trace score that contributed to the score of the trace's session. */
export interface SessionSignal {
  readonly trace_id: string;
  /** Version of the judged trace; null if unknown. */
  readonly trace_version: number | null;
  readonly name: string;
  /** Value of the score, in [0, 1]. */
  readonly value: number;
  readonly score_id: string;
  readonly source: ScoreSource;
  /** Id of the judge; null for a score of a person or program. */
  readonly judge: string | null;
  /** Judge model, `<provider>/<model>`; null without a judge. */
  readonly model: string | null;
  /** Version of the judge's prompt; null without a judge. */
  readonly prompt_version: string | null;
}

/** A score of a session. */
export interface SessionScore extends Score {
  readonly session_id: string;
  /** Version of the judged traces, see `sessionVersion`. */
  readonly session_version: string | null;
  /**
   * Trace scores that the session score is computed from (for a long session, those that lowered it most); null if
   * there are none.
   */
  readonly signals: SessionSignal[] | null;
}

/** True for the offline judge of the local runtime, which uses fixed rules. @param model `<provider>/<model>`. */
export const isOfflineModel = (model: string): boolean => model.startsWith("offline/");

/** True if a score is by fixed rules, which understand nothing and are for demonstration, or computed from such scores. */
export const isRuleBased = ({
  source,
  judge,
  signals,
}: Pick<Score, "source" | "judge"> & Partial<Pick<SessionScore, "signals">>): boolean =>
  source === "AUTOMATED" &&
  (isOfflineModel(judge?.id ?? "") || signals?.some(({ model }) => isOfflineModel(model ?? "")) === true);

/** Rounds to four decimals, the precision of judge scores and their metadata. */
export const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

/** Formats a judge's value for the wire: four decimals at most, `1.0` instead of `1`. */
export const formatValue = (value: number): string => {
  const roundedValue = rounded(value);
  return Number.isInteger(roundedValue) ? `${roundedValue}.0` : String(roundedValue);
};
