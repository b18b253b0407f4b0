import type { Instant } from "../instant.ts";
import type { ScoreDataType, ScoreSource } from "./score.ts";

/** The newest score of a trace or session under one name. */
export interface NewestScore {
  readonly name: string;
  /**
   * The newest successful score that counts, see `countingScore`; of two created at the same instant the one with the
   * greater id. Null if none succeeded.
   */
  readonly score: {
    readonly id: string;
    readonly created_at: Instant;
    readonly updated_at: Instant;
    readonly value: string | null;
    /** The score's number, see `scoreNumber`; null if it has none, or exceeds the range of the index. */
    readonly number: number | null;
    readonly data_type: ScoreDataType;
    readonly source: ScoreSource;
    readonly applicable: boolean | null;
    /** Why the metric does not apply; null if it does, and if it was not recorded. */
    readonly inapplicable_code: string | null;
    /** Id of the judge, see `JudgeIdentity`. */
    readonly judge: string | null;
    readonly eval_run_id: string | null;
    /** Version of the judged trace, see `isUpToDate`; null for a session, and if unknown. */
    readonly trace_version: number | null;
    /** Version of the custom metric that gave the score; null for other scores, and if it was not recorded. */
    readonly metric_version: number | null;
    /** True if the score reaches the threshold of its metric; null if it has none, or it was not recorded. */
    readonly passed: boolean | null;
  } | null;
  /**
   * The newest failed score if it is newer than any success; else null. If set, the latest attempt to judge the target
   * failed.
   */
  readonly failure: { readonly id: string; readonly created_at: Instant } | null;
}
