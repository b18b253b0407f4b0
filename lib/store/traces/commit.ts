import { isDeepStrictEqual } from "node:util";
import { keysHash, lateFactsOf } from "../../domain/traces/late-facts.ts";
import { checkTraceLimits } from "../../domain/traces/check-limits.ts";
import { withPiece, type TracePiece } from "../../domain/traces/piece.ts";
import { rowOf, type PieceLocation, type RowFacts } from "../../domain/traces/row.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { marksAfterChange, putMarks, tidyMarks } from "./known-marks.ts";
import { names, pieceInStorage } from "./piece-in-storage.ts";
import type { StoredTrace, TraceReader } from "./reader.ts";
import type { RoomForPieces } from "./room-for-pieces.ts";
import type { TraceWriter } from "./writer.ts";

/** A change that is made on top of what others have made of the trace meanwhile. */
export interface TraceChange {
  /**
   * One attempt, on the trace as it was read. The piece is written once, however many attempts it takes. Nothing is
   * written when nothing changes.
   *
   * @returns the trace as it is then; null when somebody else has changed it since it was read.
   * @throws Refusal when the trace would pass its limits.
   */
  attempt(before: StoredTrace): Promise<Trace | null>;
  /** Deletes the piece: what was read last does not name it, and no row that was read earlier can be committed. */
  discard(): Promise<void>;
}

/** Changes of traces that are stored and read: the change as a piece of its own, then the row under the version it was read with. */
export const traceCommit = (
  reader: TraceReader,
  writer: TraceWriter,
  room: RoomForPieces,
  factsOf: (project: string, trace: Trace, keys: readonly string[]) => Promise<RowFacts>,
  now: () => number,
) => {
  /**
   * Whether a trace has a piece after its commit was refused: the SDK repeats a request whose answer was lost, and what
   * the first one wrote refuses the second.
   */
  const has = async (project: string, trace: string, location: PieceLocation): Promise<boolean> => {
    const found = await reader.locate(project, trace);
    return found !== null && names(found.row, location);
  };

  /**
   * Begins a change of a trace that others may be changing too.
   *
   * @param keys of metadata that the project has declared.
   * @param isUnknown whether what the row says of late spans is not whole: it is made anew from the document.
   */
  const change = (project: string, piece: TracePiece, keys: readonly string[], isUnknown = false): TraceChange => {
    const own = pieceInStorage(writer, project, piece);

    const attempt: TraceChange["attempt"] = async (found) => {
      const before = isUnknown ? { ...found, row: { ...found.row, late: null } } : found;
      const { row, expiresAt } = before;
      if (own.isIn(row)) return before.trace;
      const trace = withPiece(before.trace, piece);
      if (isDeepStrictEqual(trace, before.trace)) {
        await own.discard();
        return trace;
      }
      try {
        checkTraceLimits(trace, before.trace);
      } catch (error) {
        await own.discard();
        throw error;
      }
      if (!(await room(project, found, own))) return null;
      const { pieces, ages } = await own.addedTo(before, false);
      const marks = marksAfterChange(row, before.trace, trace);
      await putMarks(writer, project, row, marks, expiresAt);
      const next = rowOf(trace, {
        facts: await factsOf(project, trace, keys),
        version: row.version + 1,
        contentVersion: row.version + 1,
        arrivedAt: row.arrivedAt,
        changedAt: now(),
        incarnation: row.incarnation,
        pieces,
        late: {
          mergedAt: row.late?.mergedAt ?? row.version + 1,
          facts: lateFactsOf(trace, keysHash(keys)),
          marks: marks.known,
          ages,
        },
      });
      const done = await writer.replaceRow(project, row, next, expiresAt);
      await tidyMarks(writer, project, row.traceId, marks, done);
      return done.held ? trace : null;
    };

    return { attempt, discard: own.discard };
  };

  return { change, has };
};
