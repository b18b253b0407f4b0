import { checkUnpacked } from "../../async/request-budget.ts";
import { equalsJson } from "../../domain/json.ts";
import type { SpanPiece } from "../../domain/traces/piece.ts";
import { foldPieces, applyPiece } from "../../domain/traces/piece.ts";
import type { StoredRow } from "./reader.ts";
import { pieceOf } from "./unpack-pieces.ts";

/**
 * True if a piece would not change a trace, as far as its row and the document's first part show. So a repeated
 * delivery of a trace whose whole document lies in the pointer is recognized without reading more.
 *
 * @throws Refusal `too-large` if the request has unpacked too many documents.
 */
export const isRedelivery = async (
  storedRow: StoredRow | null,
  firstPart: Uint8Array | null,
  piece: SpanPiece,
): Promise<boolean> => {
  if (storedRow === null || firstPart === null) return false;
  const { pieces, incarnation, tags } = storedRow.row;
  const [only, ...laterPieces] = pieces;
  if (only === undefined || laterPieces.length > 0 || only.id !== incarnation || only.parts > 1) return false;
  checkUnpacked();
  const trace = { ...foldPieces([await pieceOf([firstPart])]), tags };
  return equalsJson(applyPiece(trace, piece), trace);
};
