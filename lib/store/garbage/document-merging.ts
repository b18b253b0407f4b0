import { isScattered, rangeToMerge } from "../../domain/traces/piece.ts";
import type { PieceLocation } from "../../domain/traces/row.ts";
import type { Database } from "../../dynamo/database.ts";
import { partSize } from "../documents/body-codec.ts";
import { traceDays } from "../traces/days.ts";
import { withLargeDocument } from "../traces/large-documents.ts";
import { backgroundBytesPerSecond, limitedTo, traceMerging, type TraceMerging } from "../traces/pieces/merging.ts";
import { traceReader } from "../traces/reader.ts";
import { traceWriter } from "../traces/writer.ts";

/**
 * Max milliseconds in which a merge writes the new document piece and deletes the old pieces; a merge that would take
 * longer exceeds the background write rate.
 */
const maxMilliseconds = 80_000;

/**
 * Highest size class (tier) of document pieces that a stream worker merges immediately: at most half a MB each. Larger
 * pieces wait for the sweeper (the scheduled maintenance function).
 */
const maxImmediateTier = 1;

/** Max ranges of neighbouring document pieces merged in one call. */
const maxRuns = 50;

const bytesIn = (pieces: readonly PieceLocation[]): number =>
  pieces.reduce((sum, { parts }) => sum + parts * partSize, 0);

/** Merges pieces of trace documents in the background. */
export const documentMerging = (database: Database, now: () => number = Date.now) => {
  const reader = traceReader(database, now);
  const writer = traceWriter(database, traceDays(database), now);

  const mergingOf = (pieces: readonly PieceLocation[]): TraceMerging => {
    const rate = Math.max(backgroundBytesPerSecond, (2 * bytesIn(pieces) * 1000) / maxMilliseconds);
    return traceMerging(reader, writer, limitedTo(rate));
  };

  const fold = async (project: string, trace: string): Promise<boolean> => {
    const storedTrace = await reader.get(project, trace);
    return storedTrace === null || (await mergingOf(storedTrace.row.pieces).fold(project, storedTrace));
  };

  /** Merges within the turn of large documents, unless the turn comes after `until`. */
  const inTurn = (until: number, merge: () => Promise<unknown>): Promise<unknown> =>
    withLargeDocument(async () => (now() < until ? await merge() : null));

  return {
    /**
     * Merges the waiting pieces of one document, small ones first; begins none after `until`, epoch milliseconds.
     * Large pieces wait for their turn among all large documents of this process.
     *
     * @param onlySmall leaves large pieces to the sweeper (the scheduled maintenance function).
     * @returns true if no piece waits any more, or the trace is gone.
     */
    mergeBacklog: async (project: string, trace: string, until: number, onlySmall: boolean): Promise<boolean> => {
      for (let runs = 0; runs < maxRuns; runs += 1) {
        const storedRow = await reader.locate(project, trace);
        const appendState = storedRow?.row.appendState ?? null;
        if (storedRow === null || appendState === null) return true;
        const run = rangeToMerge(appendState.ages, onlySmall ? maxImmediateTier : undefined);
        const isDone = run === null && rangeToMerge(appendState.ages) === null && !isScattered(appendState.ages);
        if (isDone || (runs > 0 && now() >= until)) return isDone;
        if (run !== null) {
          const merging = mergingOf(storedRow.row.pieces.slice(run.from, run.to));
          await (run.tier > maxImmediateTier
            ? inTurn(until, () => merging.merge(project, storedRow, run))
            : merging.merge(project, storedRow, run));
        } else if (onlySmall || !isScattered(appendState.ages)) return false;
        else await inTurn(until, () => fold(project, trace));
      }
      return false;
    },
  };
};

export type DocumentMerging = ReturnType<typeof documentMerging>;
