import { addition, hasTooManySpans, spansIn, type Addition, type AddingPiece } from "../../domain/traces/append.ts";
import type { NameNumbers } from "../../domain/traces/facts.ts";
import { tooManySpans } from "../../domain/traces/limits.ts";
import type { LateKnowledge, TraceRow } from "../../domain/traces/row.ts";
import type { Span } from "../../domain/traces/trace.ts";
import { again, attempts, unavailable } from "../attempts.ts";
import * as patience from "../patience.ts";
import { pieceInStorage } from "./piece-in-storage.ts";
import { markSight, putMarks, tidyMarks } from "./known-marks.ts";
import type { StoredRow, TraceReader } from "./reader.ts";
import { saysNothingNew } from "./redelivery.ts";
import type { RoomForPieces } from "./room-for-pieces.ts";
import type { SeenTrace } from "./seen.ts";
import type { TraceWriter } from "./writer.ts";

/**
 * What became of spans that came to a trace: stored; or only its document tells, in `unknown` because what is known of the trace
 * is not whole.
 */
type Outcome = "stored" | "document" | "unknown";

/** Spans that come to a trace, stored without a look at its document where they are new to it. */
export const traceAppend = (
  reader: TraceReader,
  writer: TraceWriter,
  room: RoomForPieces,
  numbersOf: (project: string, spans: readonly Span[]) => Promise<NameNumbers>,
  now: () => number,
) => {
  /**
   * @param seen as it was a moment ago; its row is read when it has none.
   * @throws Refusal `too-large`, and `unavailable`.
   */
  return async (
    project: string,
    trace: string,
    piece: AddingPiece,
    keys: readonly string[],
    seen: SeenTrace,
  ): Promise<Outcome> => {
    const { pointer, firstPart } = seen;
    const { incarnation } = pointer;
    let at = seen.stored ?? (await reader.rowAt(project, trace, pointer));
    if (await saysNothingNew(at, firstPart, piece)) return "stored";
    const numbers = await numbersOf(project, spansIn(piece));
    const own = pieceInStorage(writer, project, piece);
    const sight = markSight(reader, project, trace, firstPart);

    const commit = async (
      stored: StoredRow,
      late: LateKnowledge,
      added: Addition,
    ): Promise<TraceRow | "stored" | null> => {
      const { row, expiresAt } = stored;
      const { pieces, ages } = await own.addedTo(stored, added.joins);
      const marks = sight.after(late.marks, added.marks);
      await putMarks(writer, project, row, marks, expiresAt);
      const next: TraceRow = {
        ...added.content,
        version: row.version + 1,
        contentVersion: row.version + 1,
        arrivedAt: row.arrivedAt,
        changedAt: now(),
        incarnation,
        pieces,
        late: { ...late, facts: added.facts, marks: marks.known, ages },
      };
      const done = await writer.replaceRow(project, row, next, expiresAt);
      await tidyMarks(writer, project, trace, marks, done);
      return done.held ? "stored" : done.there;
    };

    const outcome = await attempts(
      patience.queue,
      unavailable("The trace is being changed by many requests. Try again."),
      async () => {
        at ??= await reader.locate(project, trace);
        if (at === null || at.row.incarnation !== incarnation) return "document";
        const { row } = at;
        if (own.isIn(row)) return "stored";
        if (row.late === null) return "unknown";
        const added = addition(row, row.late.facts, piece, numbers, keys);
        if (added === null) return "document";
        const seen = await sight.look(row.late.marks, added.marksAgainst);
        if (seen === "perhaps") return "document";
        if (seen === "lost") {
          const fresh = await reader.locate(project, trace);
          const isSame = fresh?.row.version === row.version;
          at = fresh;
          return isSame ? "unknown" : again;
        }
        if (hasTooManySpans(added.content)) {
          await own.discard();
          throw tooManySpans();
        }
        if (!(await room(project, at, own))) {
          at = null;
          return again;
        }
        const done = await commit(at, row.late, added);
        if (done === "stored") return done;
        at = done === null ? null : { row: done, expiresAt: at.expiresAt };
        return again;
      },
    );
    if (outcome !== "stored") await own.discard();
    return outcome;
  };
};
