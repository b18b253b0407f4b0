import type { Instant } from "../instant.ts";
import type { ScoreDataType, ScoreSource } from "./score.ts";

/** The newest that a trace or a session has under one name. One of the two is there at least. */
export interface NewestScore {
  readonly name: string;
  /** The newest success, whoever gave it; of two of one instant the one with the greater id. Null where none succeeded. */
  readonly score: {
    readonly id: string;
    readonly created_at: Instant;
    readonly updated_at: Instant;
    readonly value: string | null;
    /** The value as a number, for ranges; null where it is none, does not apply, or is none that an index takes. */
    readonly number: number | null;
    readonly data_type: ScoreDataType;
    readonly source: ScoreSource;
    readonly applicable: boolean | null;
    /** Its judge's id, see `JudgeIdentity`. */
    readonly judge: string | null;
    readonly eval_run_id: string | null;
    /** That was judged, see `isPresent`; null of a session, and where it is not known. */
    readonly trace_version: number | null;
  } | null;
  /** The newest failure, where it is newer than that: the success is out of date. */
  readonly failure: { readonly id: string; readonly created_at: Instant } | null;
}
