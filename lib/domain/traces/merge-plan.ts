import type { PieceMergeState } from "./row.ts";

/** A range of neighbouring document pieces to merge: `from` inclusive, `to` exclusive. */
export interface PieceRange {
  readonly from: number;
  readonly to: number;
  /** Highest size class (tier) of the pieces in the range. */
  readonly tier: number;
}

/** Size class (tier) of document pieces that are never merged: the trace as first sent, or a whole document. */
export const wholeTier = 100;

/** Size class (tier) from which on document pieces are not merged: their bytes were already written eight times. */
const lastTier = 8;

/**
 * Number of document pieces of one size class (tier) that are merged at once; more in tier 0, whose pieces arrive one
 * by one.
 */
const piecesPerMerge = (tier: number): number => (tier === 0 ? 16 : 8);

/** Lower bounds, in bytes, of the size classes (tiers) of new document pieces, from tier 1 on. */
const tierBytes = [4 * 1024, 32 * 1024, 256 * 1024, 2 * 1024 * 1024];

/** Returns the size class (tier) of a new document piece by its stored bytes; pieces of similar size are merged. */
export const firstTier = (bytes: number): number => tierBytes.filter((bound) => bytes >= bound).length;

/**
 * Maximum number of pieces of a document; above it the document is rewritten as one piece, unless pieces can be merged.
 */
const maxScatteredPieces = 96;

/** True if a document has so many pieces that it has to be rewritten as one. */
export const isScattered = (ages: readonly PieceMergeState[]): boolean =>
  ages.length > maxScatteredPieces && rangeToMerge(ages) === null;

/**
 * Returns the next range of document pieces to merge; null if there is none. The merged piece is one size class (tier)
 * higher, so that each byte is written once per tier, whatever the size of the document.
 */
export const rangeToMerge = (ages: readonly PieceMergeState[], highest = lastTier): PieceRange | null => {
  for (let tier = 0; tier < Math.min(highest + 1, lastTier); tier += 1) {
    let [from, count] = [0, 0];
    for (const [at, age] of ages.entries()) {
      if (age.tier > tier) [from, count] = [at + 1, 0];
      else if (age.tier === tier) count += 1;
      const next = ages[at + 1];
      const ends = next === undefined || next.tier > tier;
      if (ends && count >= piecesPerMerge(tier)) return { from, to: at + 1, tier };
    }
  }
  return null;
};
