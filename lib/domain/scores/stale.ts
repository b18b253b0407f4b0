import { epochOf, type Instant } from "../instant.ts";
import type { TraceRow } from "../traces/row.ts";

/** What tells of a score which version of its trace was judged; a version of null is not known. */
export interface JudgedTrace {
  readonly trace_version: number | null;
  readonly created_at: Instant;
}

/** Of a trace as it is now. */
export type PresentTrace = Pick<TraceRow, "contentVersion" | "arrivedAt">;

/** Whether a judge would see the same of a trace as when that version was judged. */
export const isPresent = (version: number | null, { contentVersion }: Pick<TraceRow, "contentVersion">): boolean =>
  version !== null && version >= contentVersion;

/**
 * Whether a trace has changed since it was judged; null where it is not known what was judged.
 *
 * @param present null: it is not there any more, or not where it was. One that arrived later is another life of its id.
 */
export const isStale = (judged: JudgedTrace, present: PresentTrace | null): boolean | null => {
  if (judged.trace_version === null) return null;
  return (
    present === null || epochOf(judged.created_at) < present.arrivedAt || !isPresent(judged.trace_version, present)
  );
};
