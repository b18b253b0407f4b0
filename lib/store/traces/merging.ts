import { setTimeout as wait } from "node:timers/promises";
import { sideBySide } from "../../async/side-by-side.ts";
import { composed } from "../../domain/traces/compose.ts";
import { firstTier, wholeTier, type PieceRun } from "../../domain/traces/merge-plan.ts";
import { rowOf, type PieceAge, type PieceLocation, type TraceRow } from "../../domain/traces/row.ts";
import { factsOf } from "../../domain/traces/facts.ts";
import { encodeParts } from "../documents/body-codec.ts";
import { pieceToStore } from "../documents/pieces.ts";
import { names } from "./piece-in-storage.ts";
import { marksOfWhole, putMarks, tidyMarks } from "./known-marks.ts";
import type { StoredRow, StoredTrace, TraceReader } from "./reader.ts";
import { shortId, type TraceWriter } from "./writer.ts";

/** Pieces read at a time. */
const parallel = 16;

/** Bytes a second that are written and deleted in the background: half of what the trace's partition takes, the rest is its writers'. */
export const backgroundPace = 500 * 1024;

/** Waits as long as so many bytes are to take. */
export type Paced = (bytes: number) => Promise<unknown>;

/** @param pace bytes a second. */
export const pacedAt =
  (pace: number): Paced =>
  (bytes) =>
    wait((bytes / pace) * 1000);

/** Of what is small: nobody waits. */
export const unpaced: Paced = () => Promise.resolve();

/**
 * Puts pieces of documents together: what they do stays the same, and so does all that a row says of its trace. Only the row's
 * version rises, so that nobody can commit a row that names what is deleted then.
 */
export const traceMerging = (reader: TraceReader, writer: TraceWriter, paced: Paced) => {
  const putPiece = async (
    project: string,
    { row, expiresAt }: StoredRow,
    parts: readonly Buffer[],
  ): Promise<PieceLocation> => {
    const id = shortId();
    for (const [index, part] of parts.entries()) {
      await writer.putParts(project, row.traceId, row.incarnation, id, [part], index, expiresAt);
      await paced(part.length);
    }
    return { id, parts: parts.length };
  };

  /** Whether a commit was made although it was refused: when its answer was lost, and the SDK has repeated it. */
  const isCommitted = async (project: string, row: TraceRow, added: readonly PieceLocation[]): Promise<boolean> => {
    const there = (await reader.locate(project, row.traceId))?.row;
    return there !== undefined && added.some((location) => names(there, location));
  };

  const remove = async (project: string, { row }: StoredRow, pieces: readonly PieceLocation[]): Promise<void> => {
    await sideBySide(pieces, parallel, (piece) => writer.deletePiece(project, row.traceId, row.incarnation, piece, paced));
  };

  return {
    /**
     * Puts the pieces of a run together.
     *
     * @returns whether it did: not when the trace was changed meanwhile.
     */
    merge: async (project: string, stored: StoredRow, { from, to, tier }: PieceRun): Promise<boolean> => {
      const { row, expiresAt } = stored;
      const { late, traceId } = row;
      if (late === null) return false;
      const run = row.pieces.slice(from, to);
      const read = await sideBySide(run, parallel, (location) => reader.piece(project, traceId, location));
      const open = read.flatMap((piece, at) =>
        piece === null ? [] : [{ piece, joins: late.ages[from + at]?.joins === true }],
      );
      if (open.length < run.length) return false;
      const pieces: PieceLocation[] = [];
      const ages: PieceAge[] = [];
      const added: PieceLocation[] = [];
      for (const each of composed(open)) {
        const stays = run[open.findIndex(({ piece }) => piece === each.piece)];
        if (stays === undefined) {
          const parts = await encodeParts(each.piece);
          const location = await putPiece(project, stored, parts);
          added.push(location);
          pieces.push(location);
          const bytes = parts.reduce((sum, { length }) => sum + length, 0);
          ages.push({ tier: Math.max(tier + 1, firstTier(bytes)), joins: each.joins });
        } else {
          pieces.push(stays);
          ages.push({ tier: tier + 1, joins: each.joins });
        }
      }
      const next = {
        ...row,
        version: row.version + 1,
        pieces: [...row.pieces.slice(0, from), ...pieces, ...row.pieces.slice(to)],
        late: {
          ...late,
          mergedAt: row.version + 1,
          ages: [...late.ages.slice(0, from), ...ages, ...late.ages.slice(to)],
        },
      };
      const done = await writer.replaceRow(project, row, next, expiresAt);
      const committed = done.held || (await isCommitted(project, row, added));
      await remove(project, stored, committed ? run.filter((location) => !pieces.includes(location)) : added);
      return committed;
    },

    /** Puts a whole document into one piece. @returns as `merge`. */
    fold: async (project: string, stored: StoredTrace): Promise<boolean> => {
      const { row, trace, expiresAt } = stored;
      const whole = await putPiece(project, stored, await encodeParts(pieceToStore({ kind: "trace", trace })));
      const marks = marksOfWhole(trace, false);
      await putMarks(writer, project, row, marks, expiresAt);
      const next = rowOf(trace, {
        ...row,
        version: row.version + 1,
        pieces: [whole],
        late: {
          mergedAt: row.version + 1,
          facts: factsOf(trace),
          marks: marks.known,
          ages: [{ tier: wholeTier, joins: false }],
        },
      });
      const done = await writer.replaceRow(project, row, next, expiresAt);
      const committed = done.held || (await isCommitted(project, row, [whole]));
      await remove(project, stored, committed ? row.pieces : [whole]);
      await tidyMarks(writer, project, row.traceId, { ...marks, left: row.late?.marks.filters ?? [] }, done);
      return committed;
    },
  };
};

export type TraceMerging = ReturnType<typeof traceMerging>;
