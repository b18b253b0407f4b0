import { firstTier, wholeTier } from "../../../domain/traces/piece.ts";
import type { TracePiece } from "../../../domain/traces/piece.ts";
import type { AppendState, PieceMergeState, PieceLocation, TraceRow } from "../../../domain/traces/row.ts";
import { encodeParts } from "../../documents/body-codec.ts";
import { pieceToStore } from "../../documents/pieces.ts";
import type { StoredRow } from "../reader.ts";
import { shortId, type TraceWriter } from "../writer.ts";

/** A document piece in storage, and the row that it was written for. */
interface WrittenPiece {
  readonly row: TraceRow;
  readonly location: PieceLocation;
  readonly tier: number;
}

/** True if a row names a document piece. */
export const namesPiece = (row: TraceRow, location: PieceLocation): boolean =>
  row.pieces.some(({ id }) => id === location.id);

/** Returns the ages of a row's pieces; estimated for a row without append state. */
const agesOf = ({ pieces, appendState }: TraceRow): readonly PieceMergeState[] =>
  appendState?.ages ??
  pieces.map(({ parts }, at) => ({
    tier: at === 0 ? wholeTier : parts === 1 ? 1 : firstTier(Infinity),
    isMergeable: false,
  }));

/** Number of writers of which one, on average, merges waiting pieces early. */
const earlyMergerRatio = 8;

/** Writes the document piece of one change of a trace, before the row that names the piece. */
export const pieceWriter = (writer: TraceWriter, project: string, piece: TracePiece) => {
  let writtenPiece: WrittenPiece | null = null;

  const discard = async (): Promise<void> => {
    if (writtenPiece === null) return;
    const { row, location } = writtenPiece;
    writtenPiece = null;
    await writer.deletePiece(project, row.traceId, row.incarnation, location);
  };

  return {
    /** True if a row names the piece, so that the change is committed. */
    isIn: (row: TraceRow): boolean => writtenPiece !== null && namesPiece(row, writtenPiece.location),
    discard,
    /** True if this writer is one of the few that merge waiting pieces early. */
    isEarlyMerger: Math.random() * earlyMergerRatio < 1,
    /**
     * Writes the piece once, however often it is called.
     *
     * @returns the row's pieces and ages followed by the new piece's; unchanged when there is nothing to store.
     */
    addedTo: async (
      { row, expiresAt }: StoredRow,
      isMergeable: boolean,
    ): Promise<Pick<TraceRow, "pieces"> & Pick<AppendState, "ages">> => {
      // If only the response of a commit was lost, a later merge may have included this piece and deleted it: it is
      // written again then.
      const isSafe =
        writtenPiece !== null &&
        writtenPiece.row.incarnation === row.incarnation &&
        writtenPiece.row.appendState !== null &&
        writtenPiece.row.appendState.mergedAt === row.appendState?.mergedAt;
      if (!isSafe) await discard();
      const storablePiece = pieceToStore(piece);
      const [pieces, ages] = [row.pieces, agesOf(row)];
      if (storablePiece === null) return { pieces, ages };
      if (writtenPiece === null) {
        const parts = await encodeParts(storablePiece);
        const location: PieceLocation = { id: shortId(), parts: parts.length };
        await writer.putParts(project, row.traceId, row.incarnation, location.id, parts, 0, expiresAt);
        writtenPiece = { row, location, tier: firstTier(parts.reduce((sum, { length }) => sum + length, 0)) };
      }
      return { pieces: [...pieces, writtenPiece.location], ages: [...ages, { tier: writtenPiece.tier, isMergeable }] };
    },
  };
};
