import { setTimeout as wait } from "node:timers/promises";
import { mapConcurrently } from "../../../async/concurrency.ts";
import { mergePieces } from "../../../domain/traces/merge-pieces.ts";
import { keysHash, documentFactsOf } from "../../../domain/traces/document-facts.ts";
import { firstTier, wholeTier, type PieceRange } from "../../../domain/traces/piece.ts";
import type {
  SpanIdFilters,
  AppendState,
  PieceMergeState,
  PieceLocation,
  TraceRow,
} from "../../../domain/traces/row.ts";
import { tryAgain, withRetries } from "../../../dynamo/with-retries.ts";
import { rowCommitRetryPolicy } from "../../../dynamo/retry-policies.ts";
import { encodeParts, partSize } from "../../documents/body-codec.ts";
import { pieceToStore } from "../../documents/pieces.ts";
import { spanIdsOfTrace, putFilter, deleteUnusedFilters } from "../span-id-filters.ts";
import { namesPiece } from "./piece-writer.ts";
import type { StoredRow, StoredTrace, TraceReader } from "../reader.ts";
import { shortId, type TraceWriter } from "../writer.ts";

/** Pieces read at the same time. */
const parallel = 16;

/**
 * Bytes a second that background merges write and delete, at one write unit per KB: half the throughput of the
 * trace's partition, leaving the rest to its writers.
 */
export const backgroundBytesPerSecond = 500 * 1024;

/** Bytes of a written or deleted item that cost one write unit. */
const bytesOfUnit = 1024;

/** Rate at which document pieces are written and deleted. */
export interface WriteRate {
  /** Waits as long as `bytes` take at this rate. */
  readonly wait: (bytes: number) => Promise<unknown>;
  /** Number of pieces deleted at the same time. */
  readonly width: number;
}

/** Returns a rate of that many bytes a second, one piece at a time. */
export const limitedTo = (bytesPerSecond: number): WriteRate => ({
  wait: (bytes) => wait((bytes / bytesPerSecond) * 1000),
  width: 1,
});

/** Rate without waits, for merges of small pieces. */
export const unlimitedRate: WriteRate = { wait: () => Promise.resolve(), width: parallel };

/** Document pieces that replace the merged pieces in a trace's row. */
interface Replacement {
  readonly pieces: readonly PieceLocation[];
  readonly ages: readonly PieceMergeState[];
  /** Document pieces newly written for this replacement. There is at least one, and no other row names it. */
  readonly added: readonly PieceLocation[];
}

/**
 * Returns the index of the first of some neighbouring document pieces in a row; null when the row does not contain all
 * of them any more, or has no append state.
 */
const indexOfPieces = ({ pieces, appendState }: TraceRow, run: readonly PieceLocation[]): number | null => {
  if (appendState === null) return null;
  const from = pieces.findIndex(({ id }) => id === run[0]?.id);
  return from >= 0 && run.every(({ id }, at) => pieces[from + at]?.id === id) ? from : null;
};

/**
 * Merges pieces of trace documents without changing the traces. Of the row only the version and the list of pieces
 * change: the version rises, so that no other writer can commit a row that names a deleted piece. Pieces added
 * meanwhile stay after the merged ones, so a lost race costs no second write of a piece.
 */
export const traceMerging = (reader: TraceReader, writer: TraceWriter, rate: WriteRate) => {
  const putPiece = async (
    project: string,
    { row, expiresAt }: StoredRow,
    parts: readonly Buffer[],
  ): Promise<PieceLocation> => {
    const id = shortId();
    for (const [index, part] of parts.entries()) {
      await writer.putParts(project, row.traceId, row.incarnation, id, [part], index, expiresAt);
      await rate.wait(part.length);
    }
    return { id, parts: parts.length };
  };

  const remove = async (project: string, { row }: StoredRow, pieces: readonly PieceLocation[]): Promise<void> => {
    const afterEach = (units: number): Promise<unknown> => rate.wait(Math.min(partSize, units * bytesOfUnit));
    await mapConcurrently(pieces, rate.width, (piece) =>
      writer.deletePiece(project, row.traceId, row.incarnation, piece, afterEach),
    );
  };

  /**
   * Commits the replacement of neighbouring document pieces, based on the row's current version.
   *
   * @returns false when the row does not contain all of these pieces any more.
   */
  const commit = async (
    project: string,
    { row, expiresAt }: StoredRow,
    run: readonly PieceLocation[],
    replacement: Replacement,
    spanIdsAfter: (spanIds: SpanIdFilters) => SpanIdFilters,
  ): Promise<boolean> => {
    let latestRow: TraceRow | null = row;
    const isMerged = async (): Promise<boolean> => {
      const currentRow = (await reader.locate(project, row.traceId))?.row;
      return currentRow !== undefined && replacement.added.some((location) => namesPiece(currentRow, location));
    };
    return await withRetries(
      rowCommitRetryPolicy,
      isMerged,
      async (): Promise<boolean | Promise<boolean> | typeof tryAgain> => {
        latestRow ??= (await reader.locate(project, row.traceId))?.row ?? null;
        if (latestRow === null || latestRow.incarnation !== row.incarnation) return false;
        // The commit's response was lost, and the SDK repeated the request.
        const currentRow = latestRow;
        if (replacement.added.some((location) => namesPiece(currentRow, location))) return true;
        const [from, appendState] = [indexOfPieces(latestRow, run), latestRow.appendState];
        if (from === null || appendState === null) return false;
        const to = from + run.length;
        const next: TraceRow = {
          ...latestRow,
          version: latestRow.version + 1,
          pieces: [...latestRow.pieces.slice(0, from), ...replacement.pieces, ...latestRow.pieces.slice(to)],
          appendState: {
            ...appendState,
            mergedAt: latestRow.version + 1,
            spanIds: spanIdsAfter(appendState.spanIds),
            ages: [...appendState.ages.slice(0, from), ...replacement.ages, ...appendState.ages.slice(to)],
          },
        };
        const result = await writer.replaceRow(project, latestRow, next, expiresAt);
        if (result.isCommitted) return true;
        latestRow = result.currentRow;
        return tryAgain;
      },
    );
  };

  return {
    /** Merges a range of neighbouring pieces. @returns false when another writer has replaced some of them. */
    merge: async (project: string, storedRow: StoredRow, { from, to, tier }: PieceRange): Promise<boolean> => {
      const { traceId, appendState, pieces: allPieces } = storedRow.row;
      const run = allPieces.slice(from, to);
      const pieceContents = await mapConcurrently(run, parallel, (location) =>
        reader.piece(project, traceId, location),
      );
      const piecesToMerge = pieceContents.flatMap((piece, at) =>
        piece === null ? [] : [{ piece, isMergeable: appendState?.ages[from + at]?.isMergeable === true }],
      );
      if (piecesToMerge.length < run.length) return false;
      const [pieces, ages, added]: [PieceLocation[], PieceMergeState[], PieceLocation[]] = [[], [], []];
      for (const each of mergePieces(piecesToMerge)) {
        const existingLocation = run[piecesToMerge.findIndex(({ piece }) => piece === each.piece)];
        const parts = existingLocation === undefined ? await encodeParts(pieceToStore(each.piece) ?? each.piece) : [];
        const bytes = parts.reduce((sum, { length }) => sum + length, 0);
        const location = existingLocation ?? (await putPiece(project, storedRow, parts));
        if (existingLocation === undefined) added.push(location);
        pieces.push(location);
        ages.push({ tier: Math.max(tier + 1, firstTier(bytes)), isMergeable: each.isMergeable });
      }
      const isCommitted = await commit(project, storedRow, run, { pieces, ages, added }, (spanIds) => spanIds);
      await remove(project, storedRow, isCommitted ? run.filter((location) => !pieces.includes(location)) : added);
      return isCommitted;
    },

    /**
     * Merges all pieces of a document into one.
     *
     * @param storedTrace the trace, with its document and the row that names the pieces.
     * @returns false when another writer has replaced some of them.
     */
    fold: async (project: string, storedTrace: StoredTrace): Promise<boolean> => {
      const { row, document: trace, expiresAt } = storedTrace;
      const wholePiece = await putPiece(
        project,
        storedTrace,
        await encodeParts(pieceToStore({ kind: "trace", trace })),
      );
      const spanIdUpdate = spanIdsOfTrace(trace, false);
      await putFilter(writer, project, row, spanIdUpdate, expiresAt);
      const ages = [{ tier: wholeTier, isMergeable: false }];
      const filtersBefore = row.appendState?.spanIds.filters ?? [];
      // The append state of a row without one is computed from the document.
      const appendState: AppendState = row.appendState ?? {
        mergedAt: row.version,
        facts: documentFactsOf(trace, keysHash([])),
        // The sums of such a row may be those of an earlier version.
        spanIds: { ...spanIdUpdate.spanIds, hasUsageKeys: false },
        ages: row.pieces.map(() => ({ tier: wholeTier, isMergeable: false })),
      };
      const replacement = { pieces: [wholePiece], ages, added: [wholePiece] };
      const rowWithState = { ...storedTrace, row: { ...row, appendState } };
      const isCommitted = await commit(project, rowWithState, row.pieces, replacement, (latest) => ({
        ...latest,
        inFirstPart: false,
        // Filters added since the document was read stay.
        filters: [
          ...spanIdUpdate.spanIds.filters,
          ...latest.filters.filter(
            ({ id }) =>
              !filtersBefore.some((old) => old.id === id) &&
              !spanIdUpdate.spanIds.filters.some((newFilter) => newFilter.id === id),
          ),
        ],
        recent: [...new Set([...spanIdUpdate.spanIds.recent, ...latest.recent])],
      }));
      await remove(project, storedTrace, isCommitted ? row.pieces : [wholePiece]);
      await deleteUnusedFilters(
        writer,
        project,
        row.traceId,
        { ...spanIdUpdate, replacedFilters: filtersBefore },
        isCommitted ? { isCommitted: true } : { isCommitted: false, currentRow: row },
      );
      return isCommitted;
    },
  };
};

export type TraceMerging = ReturnType<typeof traceMerging>;
