import { runToMerge } from "../../domain/traces/merge-plan.ts";
import { unavailable } from "../attempts.ts";
import { traceMerging, unpaced } from "./merging.ts";
import type { StoredRow, TraceReader } from "./reader.ts";
import type { TraceWriter } from "./writer.ts";

/** Pieces of a document that wait for being put together in the background; with more, who adds one does it. */
const mostWaiting = 32;

/** Pieces with which everybody does it, and not only some: many writers of one trace are not to do the same at once. */
const mostUnshared = 48;

/** The highest tier that a writer puts together: pieces of 4 KB at most. */
const ownTier = 0;

/** Pieces beyond which no more are taken until the background has put some together. */
const mostPieces = 256;

const tooManyPieces = unavailable("The trace has many changes that are being put together. Try again in a minute.");

/** The piece that is to find room. */
interface NewPiece {
  readonly isFirstToTidy: boolean;
  readonly discard: () => Promise<void>;
}

/**
 * Makes room for one more piece of a document where many small ones wait.
 *
 * @returns whether the row is still the one that was read.
 * @throws Refusal `unavailable` where there are too many that only the background can put together.
 */
export type RoomForPieces = (project: string, stored: StoredRow, piece: NewPiece) => Promise<boolean>;

export const roomForPieces = (reader: TraceReader, writer: TraceWriter): RoomForPieces => {
  const merging = traceMerging(reader, writer, unpaced);
  return async (project, stored, piece) => {
    const { pieces, late } = stored.row;
    if (pieces.length < (piece.isFirstToTidy ? mostWaiting : mostUnshared)) return true;
    const run = late === null ? null : runToMerge(late.ages, ownTier);
    if (run !== null) {
      await merging.merge(project, stored, run);
      return false;
    }
    if (pieces.length < mostPieces) return true;
    await piece.discard();
    return tooManyPieces();
  };
};
