import { isDeepStrictEqual } from "node:util";
import { checkTraceLimits } from "../../domain/traces/limits.ts";
import { withPiece, type TracePiece } from "../../domain/traces/piece.ts";
import { rowOf, type PieceLocation, type RowFacts, type TraceRow } from "../../domain/traces/row.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { encodeParts } from "./body-codec.ts";
import { pieceToStore } from "./pieces.ts";
import type { StoredTrace, TraceReader } from "./reader.ts";
import { shortId, type TraceWriter } from "./writer.ts";

/** Pieces a document may lie in before a writer folds them into one. */
const maxPieces = 32;

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

const names = (row: TraceRow, location: PieceLocation): boolean => row.pieces.some(({ id }) => id === location.id);

/** Changes of traces that are stored: the change as a piece of its own, then the row under the version it was read with. */
export const traceCommit = (
  reader: TraceReader,
  writer: TraceWriter,
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

  const put = async (project: string, before: StoredTrace, piece: TracePiece): Promise<PieceLocation | null> => {
    const stored = pieceToStore(piece);
    if (stored === null) return null;
    const parts = await encodeParts(stored);
    const location: PieceLocation = { id: shortId(), parts: parts.length };
    const { traceId, incarnation } = before.row;
    await writer.putParts(project, traceId, incarnation, location.id, parts, 0, before.expiresAt);
    return location;
  };

  const replace = async (
    project: string,
    { row, expiresAt }: StoredTrace,
    trace: Trace,
    keys: readonly string[],
    pieces: readonly PieceLocation[],
  ) =>
    writer.replaceRow(
      project,
      row,
      rowOf(trace, {
        facts: await factsOf(project, trace, keys),
        version: row.version + 1,
        arrivedAt: row.arrivedAt,
        changedAt: now(),
        incarnation: row.incarnation,
        pieces,
      }),
      expiresAt,
    );

  /** Commits the whole document as one piece, in place of those it lay in. */
  const fold = async (
    project: string,
    before: StoredTrace,
    trace: Trace,
    keys: readonly string[],
  ): Promise<boolean> => {
    const { row } = before;
    const whole = await put(project, before, { kind: "trace", trace });
    if (whole === null) throw new Error("A whole trace is something to store.");
    const committed =
      (await replace(project, before, trace, keys, [whole])) || (await has(project, row.traceId, whole));
    for (const each of committed ? row.pieces : [whole]) {
      await writer.deletePiece(project, row.traceId, row.incarnation, each);
    }
    return committed;
  };

  /**
   * Begins a change of a trace that others may be changing too.
   *
   * @param keys of metadata that the project has declared.
   */
  const change = (project: string, piece: TracePiece, keys: readonly string[]): TraceChange => {
    let written: { readonly row: TraceRow; readonly location: PieceLocation } | null = null;

    const discard: TraceChange["discard"] = async (): Promise<void> => {
      if (written === null) return;
      const { row, location } = written;
      written = null;
      await writer.deletePiece(project, row.traceId, row.incarnation, location);
    };

    const attempt: TraceChange["attempt"] = async (before) => {
      const { row } = before;
      if (written !== null && names(row, written.location)) return before.trace;
      if (written !== null && written.row.incarnation !== row.incarnation) await discard();
      const trace = withPiece(before.trace, piece);
      if (isDeepStrictEqual(trace, before.trace)) {
        await discard();
        return trace;
      }
      try {
        checkTraceLimits(trace);
      } catch (error) {
        await discard();
        throw error;
      }
      if (row.pieces.length >= maxPieces) {
        if (!(await fold(project, before, trace, keys))) return null;
        await discard();
        return trace;
      }
      if (written === null) {
        const location = await put(project, before, piece);
        written = location && { row, location };
      }
      const pieces = written === null ? row.pieces : [...row.pieces, written.location];
      return (await replace(project, before, trace, keys, pieces)) ? trace : null;
    };

    return { attempt, discard };
  };

  return { change, has };
};
