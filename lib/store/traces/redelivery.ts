import { isDeepStrictEqual } from "node:util";
import type { AddingPiece } from "../../domain/traces/append.ts";
import { foldPieces, withPiece } from "../../domain/traces/piece.ts";
import { pieceOf, type StoredRow } from "./reader.ts";

/**
 * Whether what was sent is in a trace already, as far as its row and the part of its document in the pointer tell: a trace
 * whose whole document lies there, sent again, is not read.
 */
export const saysNothingNew = async (
  stored: StoredRow | null,
  firstPart: Uint8Array | null,
  piece: AddingPiece,
): Promise<boolean> => {
  if (stored === null || firstPart === null) return false;
  const { pieces, incarnation, tags } = stored.row;
  const [only, ...others] = pieces;
  if (only === undefined || others.length > 0 || only.id !== incarnation || only.parts > 1) return false;
  const trace = { ...foldPieces([await pieceOf([firstPart])]), tags };
  return isDeepStrictEqual(withPiece(trace, piece), trace);
};
