import { firstTier, wholeTier } from "../../domain/traces/merge-plan.ts";
import type { TracePiece } from "../../domain/traces/piece.ts";
import type { LateKnowledge, PieceAge, PieceLocation, TraceRow } from "../../domain/traces/row.ts";
import { encodeParts } from "../documents/body-codec.ts";
import { pieceToStore } from "../documents/pieces.ts";
import type { StoredRow } from "./reader.ts";
import { shortId, type TraceWriter } from "./writer.ts";

/** A piece that was written, and the row that it was to be added to. */
interface Written {
  readonly row: TraceRow;
  readonly location: PieceLocation;
  readonly tier: number;
}

/** Whether a row names a piece. */
export const names = (row: TraceRow, location: PieceLocation): boolean =>
  row.pieces.some(({ id }) => id === location.id);

/** The ages of the pieces of a row that does not say them, as an earlier version has written it. */
const agesOf = ({ pieces, late }: TraceRow): readonly PieceAge[] =>
  late?.ages ??
  pieces.map(({ parts }, at) => ({ tier: at === 0 ? wholeTier : parts === 1 ? 1 : firstTier(Infinity), joins: false }));

/** Of so many writers one is among the first who put pieces together. */
const tidying = 8;

/** The piece of one change, in storage before the row that names it. */
export const pieceInStorage = (writer: TraceWriter, project: string, piece: TracePiece) => {
  let written: Written | null = null;

  const discard = async (): Promise<void> => {
    if (written === null) return;
    const { row, location } = written;
    written = null;
    await writer.deletePiece(project, row.traceId, row.incarnation, location);
  };

  return {
    /** Whether a row names it: what it was to do has been done. */
    isIn: (row: TraceRow): boolean => written !== null && names(row, written.location),
    discard,
    /** Whether its writer is among the first who put pieces together that wait. */
    isFirstToTidy: Math.random() * tidying < 1,
    /** Stores it, once. @returns the pieces and their ages with it; those of the row when it has nothing to store. */
    addedTo: async (
      { row, expiresAt }: StoredRow,
      joins: boolean,
    ): Promise<Pick<TraceRow, "pieces"> & Pick<LateKnowledge, "ages">> => {
      // Pieces that were put together since may have been this one among others, if only an answer was lost; they are deleted.
      const isSafe =
        written !== null &&
        written.row.incarnation === row.incarnation &&
        written.row.late !== null &&
        written.row.late.mergedAt === row.late?.mergedAt;
      if (!isSafe) await discard();
      const stored = pieceToStore(piece);
      const [pieces, ages] = [row.pieces, agesOf(row)];
      if (stored === null) return { pieces, ages };
      if (written === null) {
        const parts = await encodeParts(stored);
        const location: PieceLocation = { id: shortId(), parts: parts.length };
        await writer.putParts(project, row.traceId, row.incarnation, location.id, parts, 0, expiresAt);
        written = { row, location, tier: firstTier(parts.reduce((sum, { length }) => sum + length, 0)) };
      }
      return { pieces: [...pieces, written.location], ages: [...ages, { tier: written.tier, joins }] };
    },
  };
};
