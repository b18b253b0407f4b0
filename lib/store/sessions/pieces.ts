import { SessionSum } from "../../domain/sessions/session.ts";
import type { SessionPage, SessionRow } from "../traces/rows-of-session.ts";

/** A trace of a session, and what rises with its every change; `life` is another when its id is stored anew. */
export interface SessionTrace {
  readonly id: string;
  readonly life: string | null;
  readonly version: number;
}

export const traceOfRow = ({ trace: { traceId: id, incarnation: life }, version }: SessionRow): SessionTrace => ({
  id,
  life,
  version,
});

/** Some rows of a session, one behind the other, summed up. */
export class Piece {
  /** The sort key of its first row. */
  readonly from: Buffer;
  readonly sum: SessionSum;
  /** Traces of its rows, as far as they were asked for. */
  readonly traces: SessionTrace[] = [];
  count = 0;
  /** When the first of its rows expires, epoch seconds; infinite when none does. */
  expiresAt = Infinity;

  constructor(from: Buffer, session: string) {
    this.from = from;
    this.sum = new SessionSum(session);
  }

  add({ trace, expiresAt }: SessionRow): void {
    this.count += 1;
    this.sum.add(trace);
    this.expiresAt = Math.min(this.expiresAt, expiresAt ?? Infinity);
  }
}

/** How rows are read: so many to a piece, and the traces of so many named. */
interface Reading {
  readonly size: number;
  readonly named: number;
  readonly isLate: () => boolean;
  /** The first page, when it was read before. */
  readonly begun?: SessionPage | undefined;
}

/** The rows of a range in pieces of one size; the last may be smaller, and lacks some when there was no time for all. */
export const readPieces = async (
  page: (next: SessionPage["next"]) => Promise<SessionPage>,
  session: string,
  { size, named, isLate, begun }: Reading,
): Promise<{ readonly pieces: readonly Piece[]; readonly isWhole: boolean }> => {
  const pieces: Piece[] = [];
  let [seen, next, isFirst]: [number, SessionPage["next"], boolean] = [0, undefined, true];
  while (isFirst || next !== undefined) {
    if (isLate()) return { pieces, isWhole: false };
    const current: SessionPage = isFirst && begun !== undefined ? begun : await page(next);
    for (const row of current.rows) {
      if (seen % size === 0) pieces.push(new Piece(Buffer.from(row.trace.key), session));
      const piece = pieces.at(-1);
      piece?.add(row);
      if (seen < named) piece?.traces.push(traceOfRow(row));
      seen += 1;
    }
    [next, isFirst] = [current.next, false];
  }
  return { pieces, isWhole: true };
};
