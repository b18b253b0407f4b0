import { inTurns, throwFailures } from "../async/in-turns.ts";
import { faultFields, logLine } from "../log.ts";
import type { Cursor, CursorLocation } from "../dynamo/cursor.ts";
import type { PendingMarker, PendingMarkers } from "../store/hours/pending-markers.ts";
import { markersInFairTurns } from "../store/hours/fair-turns.ts";
import type { DocumentMerging } from "../store/garbage/document-merging.ts";

/** Cursor of the sweep in the markers of documents with pieces to merge. */
export const documentCursor: CursorLocation = { table: "aggregates", name: "document-turns", ttlSeconds: 86_400 };

/** Documents merged concurrently. */
const concurrency = 4;

/** Milliseconds for a stream batch, after which its remaining documents are marked for the sweeper instead of merged. */
const batchMilliseconds = 10_000;

type Merging = Pick<DocumentMerging, "mergeBacklog">;

/** A trace's document with pieces to merge. */
interface PendingDocument {
  readonly project: string;
  readonly trace: string;
}

/**
 * Merges the pieces of small documents right away. Documents that are large, slow or fail are marked for the sweeper, since
 * deletions wait in the same stream.
 *
 * @throws AggregateError when a document could not be marked.
 */
export const mergePromptly =
  (merging: Merging, pending: Pick<PendingMarkers, "mark">, now: () => number = Date.now) =>
  async (pendingDocuments: readonly PendingDocument[]): Promise<void> => {
    const until = now() + batchMilliseconds;
    const documents = new Map(pendingDocuments.map((each) => [`${each.project}#${each.trace}`, each]));
    const merge = async ({ project, trace }: PendingDocument): Promise<boolean> => {
      if (now() >= until) return false;
      try {
        return await merging.mergeBacklog(project, trace, until, true);
      } catch (error) {
        logLine("document_not_tidied", { project_id: project, trace_id: trace, ...faultFields(error) });
        return false;
      }
    };
    const work = async (each: PendingDocument): Promise<void> => {
      if (!(await merge(each))) await pending.mark(each.project, each.trace);
    };
    const turns = await inTurns(documents.values(), work, { until: Number.POSITIVE_INFINITY, now, concurrency });
    throwFailures(turns, "Documents that could not be marked");
  };

/** Report of one sweep over the marked documents. */
export interface DocumentSweep {
  readonly documents: number;
  readonly tidied: number;
  /** True if time ran out: the next sweep continues with the remaining documents. */
  readonly left: boolean;
}

/**
 * Merges the pieces of marked documents, a few of each project in turn.
 *
 * @param budget milliseconds of work; remaining documents wait for the next sweep.
 * @throws AggregateError when some documents could not be merged, after all others were.
 */
export const sweepDocuments = async (
  merging: Merging,
  pending: Pick<PendingMarkers, "listAfter" | "clear">,
  cursor: Cursor,
  budget: number,
  now: () => number = Date.now,
): Promise<DocumentSweep> => {
  let tidied = 0;
  const work = async (marker: PendingMarker, until: number): Promise<void> => {
    if (!(await merging.mergeBacklog(marker.project, marker.name, until, false))) return;
    await pending.clear(marker);
    tidied += 1;
  };
  const turns = await inTurns(markersInFairTurns(pending, cursor, now), work, {
    until: now() + budget,
    now,
    concurrency,
  });
  throwFailures(turns, "Documents that could not be merged");
  return { documents: turns.taken, tidied, left: turns.isIncomplete || tidied < turns.taken };
};
