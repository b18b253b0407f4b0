import { inTurns, throwFailures } from "../async/in-turns.ts";
import { faultFields, logLine } from "../log.ts";
import type { Cursor, CursorPlace } from "../store/cursor.ts";
import type { PendingMark, PendingMarks } from "../store/hours/pending-marks.ts";
import { pendingTurns } from "../store/hours/pending-turns.ts";
import type { DocumentFolding } from "../store/remains/document-folding.ts";

/** How far the marks of documents have been gone through. */
export const documentPlace: CursorPlace = { table: "aggregates", name: "document-turns", kept: 86_400 };

/** Documents at the same time. */
const width = 4;

/** Milliseconds after which what is left of a batch of the stream is marked instead. */
const patience = 10_000;

type Folding = Pick<DocumentFolding, "tidy">;

/** A document of which pieces wait. */
interface Waiting {
  readonly project: string;
  readonly trace: string;
}

/**
 * Puts small pieces of documents together, and marks for the sweeper what is large, takes too long or fails: deletions wait in
 * the same stream.
 *
 * @throws when a document could not even be marked.
 */
export const tidyPromptly =
  (folding: Folding, pending: Pick<PendingMarks, "mark">, now: () => number = Date.now) =>
  async (waiting: readonly Waiting[]): Promise<void> => {
    const until = now() + patience;
    const documents = new Map(waiting.map((each) => [`${each.project}#${each.trace}`, each]));
    const tidy = async ({ project, trace }: Waiting): Promise<boolean> => {
      if (now() >= until) return false;
      try {
        return await folding.tidy(project, trace, until, true);
      } catch (error) {
        logLine("document_not_tidied", { project_id: project, trace_id: trace, ...faultFields(error) });
        return false;
      }
    };
    const work = async (each: Waiting): Promise<void> => {
      if (!(await tidy(each))) await pending.mark(each.project, each.trace);
    };
    const turns = await inTurns(documents.values(), work, { until: Number.POSITIVE_INFINITY, now, width });
    throwFailures(turns, "Documents that could not be marked");
  };

/** What a sweep did with the documents that waited. */
export interface DocumentSweep {
  readonly documents: number;
  readonly tidied: number;
  /** Whether there was no time for all: the next sweep goes on with the others. */
  readonly left: boolean;
}

/**
 * Puts pieces of the marked documents together, some of each project in turn.
 *
 * @param budget milliseconds; when they are over the rest waits for the next sweep.
 * @throws AggregateError when some could not be worked on, after all others were.
 */
export const sweepDocuments = async (
  folding: Folding,
  pending: Pick<PendingMarks, "behind" | "clear">,
  cursor: Cursor,
  budget: number,
  now: () => number = Date.now,
): Promise<DocumentSweep> => {
  let tidied = 0;
  const work = async (mark: PendingMark, until: number): Promise<void> => {
    if (!(await folding.tidy(mark.project, mark.name, until, false))) return;
    await pending.clear(mark);
    tidied += 1;
  };
  const turns = await inTurns(pendingTurns(pending, cursor, now), work, { until: now() + budget, now, width });
  throwFailures(turns, "Documents that could not be tidied");
  return { documents: turns.taken, tidied, left: turns.left };
};
