import type { ScoreDataType, ScoreSource, ScoreStatus } from "./score.ts";
import type { Instant } from "../traces/trace.ts";

/** What a list of scores is narrowed to; all of it must match exactly. */
export interface ScoreFilter {
  /** Id of the trace or of the session. */
  readonly targetId?: string | undefined;
  /** The life of the trace that `targetId` names. */
  readonly incarnation?: string | undefined;
  readonly name?: string | undefined;
  readonly source?: ScoreSource | undefined;
  readonly status?: ScoreStatus | undefined;
  readonly dataType?: ScoreDataType | undefined;
  readonly runId?: string | undefined;
  readonly environment?: string | undefined;
  /** Created then or later. */
  readonly from?: Instant | undefined;
  /** Created before then. */
  readonly to?: Instant | undefined;
}
