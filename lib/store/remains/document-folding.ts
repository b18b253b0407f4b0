import { isScattered, runToMerge } from "../../domain/traces/merge-plan.ts";
import type { PieceLocation } from "../../domain/traces/row.ts";
import type { Database } from "../database.ts";
import { partSize } from "../documents/body-codec.ts";
import { traceDays } from "../traces/days.ts";
import { withLarge } from "../traces/large-documents.ts";
import { backgroundPace, pacedAt, traceMerging, type TraceMerging } from "../traces/merging.ts";
import { traceReader } from "../traces/reader.ts";
import { traceWriter } from "../traces/writer.ts";

/** Milliseconds in which the largest documents are written and what they lay in is deleted: what is larger goes faster for it. */
const longest = 80_000;

/** The highest tier that is put together at once, without waiting for the sweeper: half a MB at most. */
const promptTier = 1;

/** Runs that are put together in one go. */
const mostRuns = 50;

const bytesIn = (pieces: readonly PieceLocation[]): number =>
  pieces.reduce((sum, { parts }) => sum + parts * partSize, 0);

/** Puts pieces of documents together that wait for it. */
export const documentFolding = (database: Database, now: () => number = Date.now) => {
  const reader = traceReader(database, now);
  const writer = traceWriter(database, traceDays(database), now);

  const mergingOf = (pieces: readonly PieceLocation[]): TraceMerging => {
    const pace = Math.max(backgroundPace, (2 * bytesIn(pieces) * 1000) / longest);
    return traceMerging(reader, writer, pacedAt(pace));
  };

  const fold = async (project: string, trace: string): Promise<boolean> => {
    const stored = await reader.get(project, trace);
    return stored === null || (await mergingOf(stored.row.pieces).fold(project, stored));
  };

  return {
    /**
     * Puts together what is waiting of one document: small pieces first, none begun after `until`.
     *
     * @param prompt only what is small.
     * @returns whether nothing waits any more, of a trace that is gone included.
     */
    tidy: async (project: string, trace: string, until: number, prompt: boolean): Promise<boolean> => {
      for (let runs = 0; runs < mostRuns; runs += 1) {
        const stored = await reader.locate(project, trace);
        const late = stored?.row.late ?? null;
        if (stored === null || late === null) return true;
        const run = runToMerge(late.ages, prompt ? promptTier : undefined);
        const isDone = run === null && runToMerge(late.ages) === null && !isScattered(late.ages);
        if (isDone || (runs > 0 && now() >= until)) return isDone;
        if (run !== null) {
          const merging = mergingOf(stored.row.pieces.slice(run.from, run.to));
          await (run.tier > promptTier
            ? withLarge(() => merging.merge(project, stored, run))
            : merging.merge(project, stored, run));
        } else if (prompt || !isScattered(late.ages)) return false;
        else await withLarge(() => fold(project, trace));
      }
      return false;
    },
  };
};

export type DocumentFolding = ReturnType<typeof documentFolding>;
