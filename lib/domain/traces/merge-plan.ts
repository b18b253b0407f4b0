import type { PieceAge } from "./row.ts";

/** Neighbouring pieces of a document that are to be put together: `from` inclusive, `to` exclusive. */
export interface PieceRun {
  readonly from: number;
  readonly to: number;
  /** The highest tier among them. */
  readonly tier: number;
}

/** The tier of what is never put together with other pieces: the trace as it was sent first, or folded whole. */
export const wholeTier = 100;

/** Tiers from here on are left as they are: what is in them has been written eight times. */
const lastTier = 8;

/** Pieces of one tier that are put together: of the smallest, which come one by one, more at a time. */
const fan = (tier: number): number => (tier === 0 ? 16 : 8);

/** Bytes from which on a piece begins in the next tier. */
const tierBytes = [4 * 1024, 32 * 1024, 256 * 1024, 2 * 1024 * 1024];

/** The tier in which a piece of so many stored bytes begins: small ones are put together with small ones. */
export const firstTier = (bytes: number): number => tierBytes.filter((bound) => bytes >= bound).length;

/** Pieces beyond which a document is put into one, when they cannot be put together with each other. */
const mostScattered = 96;

/** Whether a document lies in so many pieces that all of it is to be put into one. */
export const isScattered = (ages: readonly PieceAge[]): boolean =>
  ages.length > mostScattered && runToMerge(ages) === null;

/**
 * The run of pieces that is to be put together next, null when none is: so many of one tier with none above it in between. What
 * comes of it is a tier higher, so that every byte is written once for each tier, whatever the size of the document.
 */
export const runToMerge = (ages: readonly PieceAge[], highest = lastTier): PieceRun | null => {
  for (let tier = 0; tier < Math.min(highest + 1, lastTier); tier += 1) {
    let [from, count] = [0, 0];
    for (const [at, age] of ages.entries()) {
      if (age.tier > tier) [from, count] = [at + 1, 0];
      else if (age.tier === tier) count += 1;
      const next = ages[at + 1];
      const ends = next === undefined || next.tier > tier;
      if (ends && count >= fan(tier)) return { from, to: at + 1, tier };
    }
  }
  return null;
};
