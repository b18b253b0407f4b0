import { rangeToMerge } from "../../../domain/traces/piece.ts";
import { throwUnavailable } from "../../../dynamo/with-retries.ts";
import { traceMerging, unlimitedRate } from "./merging.ts";
import type { StoredRow, TraceReader } from "../reader.ts";
import type { TraceWriter } from "../writer.ts";

/** Number of unmerged document pieces above which some of the trace's writers merge pieces. */
const maxWaiting = 32;

/**
 * Number of unmerged document pieces above which all of the trace's writers merge pieces; with fewer pieces only some
 * writers do, so that they do not repeat each other's work.
 */
const maxWaitingBeforeAllMerge = 48;

/** Highest size class (tier) of document pieces that a trace's writers merge: at most 4 KB each. */
const maxWriterTier = 0;

/** Number of document pieces above which writes to the trace are refused until the background merge has reduced it. */
const maxPieces = 256;

const tooManyPieces = throwUnavailable(
  "The trace has too many changes that are still being merged. Try again in a minute.",
);

/** The document piece to be added. */
interface NewPiece {
  readonly isEarlyMerger: boolean;
  readonly discard: () => Promise<void>;
}

/**
 * Makes room for one more document piece by merging small ones if many wait.
 *
 * @returns true if the row is still current; false after a merge.
 * @throws Refusal `unavailable` when there are too many pieces, and only the background merge can merge them.
 */
export type RoomForPieces = (project: string, storedRow: StoredRow, piece: NewPiece) => Promise<boolean>;

export const roomForPieces = (reader: TraceReader, writer: TraceWriter): RoomForPieces => {
  const merging = traceMerging(reader, writer, unlimitedRate);
  return async (project, storedRow, piece) => {
    const { pieces, appendState } = storedRow.row;
    if (pieces.length < (piece.isEarlyMerger ? maxWaiting : maxWaitingBeforeAllMerge)) return true;
    const run = appendState === null ? null : rangeToMerge(appendState.ages, maxWriterTier);
    if (run !== null) {
      await merging.merge(project, storedRow, run);
      return false;
    }
    if (pieces.length < maxPieces) return true;
    await piece.discard();
    return tooManyPieces();
  };
};
