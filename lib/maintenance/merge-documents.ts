import type { Cursor, CursorLocation } from "../dynamo/cursor.ts";
import type { PendingMarkers } from "../store/hours/pending-markers.ts";
import type { DocumentMerging } from "../store/garbage/document-merging.ts";
import { sweepMarkers, workPromptly } from "./prompt-work.ts";

/** Cursor of the sweep in the markers of documents with pieces to merge. */
export const documentCursor: CursorLocation = { table: "aggregates", name: "document-turns", ttlSeconds: 86_400 };

/** Documents merged concurrently. */
const concurrency = 4;

type Merging = Pick<DocumentMerging, "mergeBacklog">;

/** A trace's document with pieces to merge. */
interface PendingDocument {
  readonly project: string;
  readonly trace: string;
}

/**
 * Merges the pieces of small documents right away. Documents that are large, slow or fail are marked for the sweeper.
 *
 * @throws AggregateError when a document could not be marked.
 */
export const mergePromptly =
  (merging: Merging, pending: Pick<PendingMarkers, "mark">, now: () => number = Date.now) =>
  async (pendingDocuments: readonly PendingDocument[]): Promise<void> => {
    const documents = new Map(pendingDocuments.map((each) => [`${each.project}#${each.trace}`, each]));
    await workPromptly(
      documents.values(),
      {
        work: ({ project, trace }, until) => merging.mergeBacklog(project, trace, until, true),
        mark: ({ project, trace }) => pending.mark(project, trace),
        logFields: ({ project, trace }) => ({ project_id: project, trace_id: trace }),
        event: "document_not_tidied",
        concurrency,
      },
      now,
    );
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
  const { taken, completed, isIncomplete } = await sweepMarkers(
    pending,
    cursor,
    ({ project, name }, until) => merging.mergeBacklog(project, name, until, false),
    { budget, failure: "Documents that could not be merged", concurrency },
    now,
  );
  return { documents: taken, tidied: completed, left: isIncomplete || completed < taken };
};
