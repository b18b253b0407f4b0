import { epochOf, type Instant } from "../instant.ts";
import type { TraceRow } from "../traces/row.ts";

/** Fields of a score that identify the judged version of its trace; a null version is unknown. */
export interface JudgedVersion {
  readonly trace_version: number | null;
  readonly created_at: Instant;
}

/** Fields of a trace in its current state. */
export type CurrentTrace = Pick<TraceRow, "contentVersion" | "arrivedAt">;

/** True if a judge would see the same trace as in the judged version. */
export const isUpToDate = (version: number | null, { contentVersion }: Pick<TraceRow, "contentVersion">): boolean =>
  version !== null && version >= contentVersion;

/**
 * True if a trace has changed since a score was created; null if the judged version is unknown.
 *
 * @param current current state of the trace; null if it was deleted or its start has changed. A trace that arrived
 * after the score was created is another trace with the same id.
 */
export const isStale = (score: JudgedVersion, current: CurrentTrace | null): boolean | null => {
  if (score.trace_version === null) return null;
  return current === null || epochOf(score.created_at) < current.arrivedAt || !isUpToDate(score.trace_version, current);
};
