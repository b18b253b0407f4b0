import { setTimeout as wait } from "node:timers/promises";
import { sideBySide } from "../../async/side-by-side.ts";
import { composed } from "../../domain/traces/compose.ts";
import { keysHash, lateFactsOf } from "../../domain/traces/late-facts.ts";
import { firstTier, wholeTier, type PieceRun } from "../../domain/traces/merge-plan.ts";
import type { KnownMarks, LateKnowledge, PieceAge, PieceLocation, TraceRow } from "../../domain/traces/row.ts";
import { again, attempts } from "../attempts.ts";
import * as patience from "../patience.ts";
import { encodeParts, partSize } from "../documents/body-codec.ts";
import { pieceToStore } from "../documents/pieces.ts";
import { marksOfWhole, putMarks, tidyMarks } from "./known-marks.ts";
import { names } from "./piece-in-storage.ts";
import type { StoredRow, StoredTrace, TraceReader } from "./reader.ts";
import { shortId, type TraceWriter } from "./writer.ts";

/** Pieces read at a time. */
const parallel = 16;

/**
 * Bytes a second that are written and deleted in the background, of which each KB is a unit: half of what the partition of a trace
 * takes, the rest is its writers'.
 */
export const backgroundPace = 500 * 1024;

/** Of an item that is written or deleted. */
const bytesOfUnit = 1024;

/** How fast documents are written. */
export interface Pace {
  /** Waits as long as so many bytes are to take. */
  readonly wait: (bytes: number) => Promise<unknown>;
  /** Pieces deleted at a time. */
  readonly width: number;
}

/** @param speed bytes a second. */
export const pacedAt = (speed: number): Pace => ({ wait: (bytes) => wait((bytes / speed) * 1000), width: 1 });

/** Of what is small: nobody waits. */
export const unpaced: Pace = { wait: () => Promise.resolve(), width: parallel };

/** What takes the place of some pieces. */
interface Place {
  readonly pieces: readonly PieceLocation[];
  readonly ages: readonly PieceAge[];
  /** Those of the pieces that were written for it: one at least of them is in no other row. */
  readonly added: readonly PieceLocation[];
}

/** Where some pieces lie in a row, in their order; null when they are not there any more, or the row does not know its pieces. */
const placeIn = ({ pieces, late }: TraceRow, run: readonly PieceLocation[]): number | null => {
  if (late === null) return null;
  const from = pieces.findIndex(({ id }) => id === run[0]?.id);
  return from >= 0 && run.every(({ id }, at) => pieces[from + at]?.id === id) ? from : null;
};

/**
 * Puts pieces of documents together: what they do stays the same, and so does all that a row says of its trace. Only the row's
 * version rises, so that nobody can commit a row that names what is deleted then. What others have added meanwhile stays behind
 * them: nothing is written twice because a writer was faster.
 */
export const traceMerging = (reader: TraceReader, writer: TraceWriter, pace: Pace) => {
  const putPiece = async (
    project: string,
    { row, expiresAt }: StoredRow,
    parts: readonly Buffer[],
  ): Promise<PieceLocation> => {
    const id = shortId();
    for (const [index, part] of parts.entries()) {
      await writer.putParts(project, row.traceId, row.incarnation, id, [part], index, expiresAt);
      await pace.wait(part.length);
    }
    return { id, parts: parts.length };
  };

  const remove = async (project: string, { row }: StoredRow, pieces: readonly PieceLocation[]): Promise<void> => {
    const afterEach = (units: number): Promise<unknown> => pace.wait(Math.min(partSize, units * bytesOfUnit));
    await sideBySide(pieces, pace.width, (piece) =>
      writer.deletePiece(project, row.traceId, row.incarnation, piece, afterEach),
    );
  };

  /** Commits what takes the place of a run, on the row as it is by then. @returns false when the run is not there any more. */
  const commit = async (
    project: string,
    { row, expiresAt }: StoredRow,
    run: readonly PieceLocation[],
    place: Place,
    marksAfter: (known: KnownMarks) => KnownMarks,
  ): Promise<boolean> => {
    let at: TraceRow | null = row;
    const isThere = async (): Promise<boolean> => {
      const there = (await reader.locate(project, row.traceId))?.row;
      return there !== undefined && place.added.some((location) => names(there, location));
    };
    return await attempts(patience.queue, isThere, async (): Promise<boolean | Promise<boolean> | typeof again> => {
      at ??= (await reader.locate(project, row.traceId))?.row ?? null;
      if (at === null || at.incarnation !== row.incarnation) return false;
      // Its answer was lost, and the SDK has repeated it.
      const there = at;
      if (place.added.some((location) => names(there, location))) return true;
      const [from, late] = [placeIn(at, run), at.late];
      if (from === null || late === null) return false;
      const to = from + run.length;
      const next: TraceRow = {
        ...at,
        version: at.version + 1,
        pieces: [...at.pieces.slice(0, from), ...place.pieces, ...at.pieces.slice(to)],
        late: {
          ...late,
          mergedAt: at.version + 1,
          marks: marksAfter(late.marks),
          ages: [...late.ages.slice(0, from), ...place.ages, ...late.ages.slice(to)],
        },
      };
      const done = await writer.replaceRow(project, at, next, expiresAt);
      if (done.held) return true;
      at = done.there;
      return again;
    });
  };

  return {
    /**
     * Puts the pieces of a run together.
     *
     * @returns whether it did: not when somebody else has meanwhile.
     */
    merge: async (project: string, stored: StoredRow, { from, to, tier }: PieceRun): Promise<boolean> => {
      const { traceId, late, pieces: all } = stored.row;
      const run = all.slice(from, to);
      const read = await sideBySide(run, parallel, (location) => reader.piece(project, traceId, location));
      const open = read.flatMap((piece, at) =>
        piece === null ? [] : [{ piece, joins: late?.ages[from + at]?.joins === true }],
      );
      if (open.length < run.length) return false;
      const [pieces, ages, added]: [PieceLocation[], PieceAge[], PieceLocation[]] = [[], [], []];
      for (const each of composed(open)) {
        const stays = run[open.findIndex(({ piece }) => piece === each.piece)];
        const parts = stays === undefined ? await encodeParts(pieceToStore(each.piece) ?? each.piece) : [];
        const bytes = parts.reduce((sum, { length }) => sum + length, 0);
        const location = stays ?? (await putPiece(project, stored, parts));
        if (stays === undefined) added.push(location);
        pieces.push(location);
        ages.push({ tier: Math.max(tier + 1, firstTier(bytes)), joins: each.joins });
      }
      const committed = await commit(project, stored, run, { pieces, ages, added }, (known) => known);
      await remove(project, stored, committed ? run.filter((location) => !pieces.includes(location)) : added);
      return committed;
    },

    /** Puts a whole document, as it was read, into one piece. @returns as `merge`. */
    fold: async (project: string, stored: StoredTrace): Promise<boolean> => {
      const { row, trace, expiresAt } = stored;
      const whole = await putPiece(project, stored, await encodeParts(pieceToStore({ kind: "trace", trace })));
      const marks = marksOfWhole(trace, false);
      await putMarks(writer, project, row, marks, expiresAt);
      const ages = [{ tier: wholeTier, joins: false }];
      const was = row.late?.marks.filters ?? [];
      // What an earlier version has written says nothing: what the document says takes its place.
      const late: LateKnowledge = row.late ?? {
        mergedAt: row.version,
        facts: lateFactsOf(trace, keysHash([])),
        marks: marks.known,
        ages: row.pieces.map(() => ({ tier: wholeTier, joins: false })),
      };
      const place = { pieces: [whole], ages, added: [whole] };
      const known = { ...stored, row: { ...row, late } };
      const committed = await commit(project, known, row.pieces, place, ({ filters, recent }) => ({
        inFirstPart: false,
        // Those that have come since stay.
        filters: [
          ...marks.known.filters,
          ...filters.filter(
            ({ id }) => !was.some((old) => old.id === id) && !marks.known.filters.some((own) => own.id === id),
          ),
        ],
        recent: [...new Set([...marks.known.recent, ...recent])],
      }));
      await remove(project, stored, committed ? row.pieces : [whole]);
      await tidyMarks(
        writer,
        project,
        row.traceId,
        { ...marks, left: was },
        committed ? { held: true } : { held: false, there: row },
      );
      return committed;
    },
  };
};

export type TraceMerging = ReturnType<typeof traceMerging>;
