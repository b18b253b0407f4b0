import { checkUnpacked } from "../../async/request-budget.ts";
import { equalsJson } from "../../domain/json.ts";
import { keysHash, documentFactsOf } from "../../domain/traces/document-facts.ts";
import { checkTraceLimits } from "../../domain/traces/check-limits.ts";
import { addsSpans, applyPiece, hasSameContent, type TracePiece } from "../../domain/traces/piece.ts";
import { rowOf, type PieceLocation, type RowFacts } from "../../domain/traces/row.ts";
import { otherSessionsOf } from "../../domain/traces/telemetry.ts";
import { shownTrace } from "../../domain/traces/times.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { spanIdsAfterChange, putFilter, deleteUnusedFilters } from "./span-id-filters.ts";
import { namesPiece, pieceWriter } from "./pieces/piece-writer.ts";
import type { StoredTrace, TraceReader } from "./reader.ts";
import type { RoomForPieces } from "./pieces/room-for-pieces.ts";
import type { TraceWriter } from "./writer.ts";

/** A change that is retried on top of other writers' changes. */
export interface TraceChange {
  /**
   * Reader of the document. Its reads throw a Refusal `too-large` if the request has unpacked as much as it may, except for a change that
   * has been attempted, however often other writers make it read the document again.
   */
  readonly reader: Pick<TraceReader, "read" | "readSmall">;
  /**
   * Attempts the change once. Its document piece is written once, however many attempts there are; a change without
   * effect writes nothing.
   *
   * @param before trace on which the change is based, with its document.
   * @returns the changed trace; null when another writer changed it since it was read.
   * @throws Refusal when the trace would exceed its limits.
   */
  attempt(before: StoredTrace): Promise<Trace | null>;
  /**
   * Deletes the change's piece. No row names it: the row read last does not, and an attempt on an earlier row cannot
   * commit any more.
   */
  discard(): Promise<void>;
}

/**
 * Commits changes of stored traces: the change is written as a document piece, then the row under the condition that
 * its version is the one that was read.
 */
export const traceCommit = (
  reader: TraceReader,
  writer: TraceWriter,
  makeRoom: RoomForPieces,
  factsOf: (project: string, trace: Trace, keys: readonly string[]) => Promise<RowFacts>,
  now: () => number,
) => {
  /**
   * True if a trace's row names a piece although its commit was refused: when a response is lost, the SDK repeats the
   * request, which is refused because the first one has changed the row.
   */
  const isCommitted = async (project: string, trace: string, location: PieceLocation): Promise<boolean> => {
    const storedRow = await reader.locate(project, trace);
    return storedRow !== null && namesPiece(storedRow.row, location);
  };

  /**
   * Prepares a change of a trace that other writers may change at the same time.
   *
   * @param keys metadata keys that the project has declared.
   * @param isStateIncomplete true if the row's append state is incomplete: it is recomputed from the document.
   */
  const change = (
    project: string,
    piece: TracePiece,
    keys: readonly string[],
    isStateIncomplete = false,
  ): TraceChange => {
    let hasBegun = false;
    const pieceWrite = pieceWriter(writer, project, piece);

    const checked =
      <Place extends readonly unknown[], State>(read: (...place: Place) => Promise<State>) =>
      async (...place: Place): Promise<State> => {
        if (!hasBegun) checkUnpacked();
        return await read(...place);
      };

    const attempt: TraceChange["attempt"] = async (storedTrace) => {
      hasBegun = true;
      const before = isStateIncomplete
        ? { ...storedTrace, row: { ...storedTrace.row, appendState: null } }
        : storedTrace;
      const { row, expiresAt } = before;
      if (pieceWrite.isIn(row)) return before.trace;
      const document = applyPiece(before.document, piece);
      if (equalsJson(document, before.document)) {
        await pieceWrite.discard();
        return before.trace;
      }
      // A trace that ended by silence is open again with more spans.
      const trace = addsSpans(piece) ? document : shownTrace(document, row.ending);
      try {
        checkTraceLimits(trace, before.trace);
      } catch (error) {
        await pieceWrite.discard();
        throw error;
      }
      if (!(await makeRoom(project, storedTrace, pieceWrite))) return null;
      const { pieces, ages } = await pieceWrite.addedTo(before, false);
      const spanIdUpdate = spanIdsAfterChange(row, before.trace, trace);
      await putFilter(writer, project, row, spanIdUpdate, expiresAt);
      const next = rowOf(trace, {
        facts: await factsOf(project, trace, keys),
        version: row.version + 1,
        contentVersion: hasSameContent(before.trace, trace) ? row.contentVersion : row.version + 1,
        arrivedAt: row.arrivedAt,
        changedAt: now(),
        incarnation: row.incarnation,
        pieces,
        appendState: {
          mergedAt: row.appendState?.mergedAt ?? row.version + 1,
          facts: documentFactsOf(document, keysHash(keys)),
          spanIds: spanIdUpdate.spanIds,
          ages,
        },
      });
      await writer.mention(project, row.traceId, otherSessionsOf(trace.spans, trace.session_id), expiresAt);
      const result = await writer.replaceRow(project, row, next, expiresAt);
      await deleteUnusedFilters(writer, project, row.traceId, spanIdUpdate, result);
      return result.isCommitted ? trace : null;
    };

    const checkedReader = { read: checked(reader.read), readSmall: checked(reader.readSmall) };
    return { reader: checkedReader, attempt, discard: pieceWrite.discard };
  };

  return { change, isCommitted };
};
