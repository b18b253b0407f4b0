import { isDeepStrictEqual } from "node:util";
import { checkTraceLimits } from "../domain/trace-limits.ts";
import { withPiece, type TracePiece } from "../domain/trace-piece.ts";
import { rowOf, type Segment } from "../domain/trace-row.ts";
import type { Trace } from "../domain/trace.ts";
import { encodeParts } from "./body-codec.ts";
import { pieceToStore } from "./trace-pieces.ts";
import type { StoredTrace, TraceReader } from "./trace-reader.ts";
import { shortId, type TraceWriter } from "./trace-writer.ts";

/** Pieces a document may lie in before a writer folds them into one. */
const maxSegments = 32;

/** Changes of traces that are stored: the change as a piece of its own, then the row under the version it was read with. */
export const traceCommit = (reader: TraceReader, writer: TraceWriter, now: () => number) => {
  /**
   * Whether a trace has a piece after its commit was refused: the SDK repeats a request whose answer was lost, and what
   * the first one wrote refuses the second.
   */
  const has = async (project: string, trace: string, piece: Segment): Promise<boolean> => {
    const found = await reader.locate(project, trace);
    return found?.row.segments.some(({ id }) => id === piece.id) ?? false;
  };

  /**
   * Does something to a trace as it was read; nothing is written when that changes nothing.
   *
   * @returns the trace as it is then; null when somebody else has changed it since it was read.
   * @throws Refusal when the trace would pass its limits.
   */
  const commit = async (project: string, before: StoredTrace, piece: TracePiece): Promise<Trace | null> => {
    const trace = withPiece(before.trace, piece);
    if (isDeepStrictEqual(trace, before.trace)) return trace;
    checkTraceLimits(trace);
    const { row, expiresAt } = before;
    const folds = row.segments.length >= maxSegments;
    const stored = pieceToStore(folds ? { kind: "trace", trace } : piece);
    const parts = stored === null ? [] : await encodeParts(stored);
    const added: readonly Segment[] = stored === null ? [] : [{ id: shortId(), parts: parts.length }];
    for (const { id } of added) {
      await writer.putParts(project, row.traceId, row.incarnation, id, parts, 0, expiresAt);
    }
    const next = rowOf(trace, {
      version: row.version + 1,
      arrivedAt: row.arrivedAt,
      changedAt: now(),
      incarnation: row.incarnation,
      segments: folds ? added : [...row.segments, ...added],
    });
    const [segment] = added;
    const committed =
      (await writer.replaceRow(project, row, next, expiresAt)) ||
      (segment !== undefined && (await has(project, row.traceId, segment)));
    const dropped = committed ? (folds ? row.segments : []) : added;
    for (const each of dropped) await writer.deleteSegment(project, row.traceId, row.incarnation, each);
    return committed ? trace : null;
  };

  return { commit, has };
};
