import { SessionSum } from "../../domain/sessions/session.ts";
import type { SessionRowPage, SessionRow } from "../traces/rows-of-session.ts";

/**
 * A version of a session's trace: `version` rises with every change, and `life` is the trace's incarnation. Property
 * names are part of the ETag's input.
 */
export interface TraceVersion {
  readonly id: string;
  readonly life: string | null;
  readonly version: number;
}

/** Returns the trace version (see `TraceVersion`) of a session's row. */
export const traceVersionOf = ({ trace: { traceId: id, incarnation: life }, version }: SessionRow): TraceVersion => ({
  id,
  life,
  version,
});

/** Consecutive rows of a session and their sum. */
export class RowChunk {
  /** Sort key of the chunk's first row. */
  readonly from: Buffer;
  readonly sum: SessionSum;
  /** Trace versions of the chunk's first rows, as many as requested. */
  readonly traces: TraceVersion[] = [];
  count = 0;
  /** Earliest expiry of the chunk's rows, epoch seconds; infinite when none expires. */
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

/** Options of `readChunks`: rows per chunk, and the number of rows whose trace versions are returned. */
interface ChunkOptions {
  readonly chunkSize: number;
  readonly traceCount: number;
  readonly isLate: () => boolean;
  /** First page of the rows, if it has been read already. */
  readonly firstPage?: SessionRowPage | undefined;
}

/**
 * Reads the rows of a range in chunks of one size; the last may be smaller.
 *
 * @returns the chunks; `isComplete` is false when the time was up before all rows were read.
 */
export const readChunks = async (
  page: (next: SessionRowPage["next"]) => Promise<SessionRowPage>,
  session: string,
  { chunkSize, traceCount, isLate, firstPage }: ChunkOptions,
): Promise<{ readonly chunks: readonly RowChunk[]; readonly isComplete: boolean }> => {
  const chunks: RowChunk[] = [];
  let [rowCount, next, isFirst]: [number, SessionRowPage["next"], boolean] = [0, undefined, true];
  while (isFirst || next !== undefined) {
    if (isLate()) return { chunks, isComplete: false };
    const current: SessionRowPage = isFirst && firstPage !== undefined ? firstPage : await page(next);
    for (const row of current.rows) {
      if (rowCount % chunkSize === 0) chunks.push(new RowChunk(Buffer.from(row.trace.key), session));
      const chunk = chunks.at(-1);
      chunk?.add(row);
      if (rowCount < traceCount) chunk?.traces.push(traceVersionOf(row));
      rowCount += 1;
    }
    [next, isFirst] = [current.next, false];
  }
  return { chunks, isComplete: true };
};
