import type { Instant } from "../instant.ts";
import type { ScoreDataType, ScoreSource, ScoreStatus } from "./score.ts";

/** What a list of scores is narrowed to; all of it must match exactly. */
export interface ScoreFilters {
  /** Id of the trace or of the session. */
  readonly target_id?: string | undefined;
  readonly name?: string | undefined;
  readonly source?: ScoreSource | undefined;
  readonly status?: ScoreStatus | undefined;
  readonly data_type?: ScoreDataType | undefined;
  readonly eval_run_id?: string | undefined;
  readonly environment?: string | undefined;
  /** The version in a judge's identity. */
  readonly judge?: string | undefined;
  /** Created then or later. */
  readonly date_from?: Instant | undefined;
  /** Created before then. */
  readonly date_to?: Instant | undefined;
}
