import { mapConcurrently } from "../../async/concurrency.ts";
import { Refusal } from "../../domain/refusal.ts";
import { SessionSum, type Session } from "../../domain/sessions/session.ts";
import { keyOfRow } from "../traces/keys.ts";
import type { KeyRange, SessionRowPages } from "../traces/rows-of-session.ts";
import { readChunks, type RowChunk, type TraceVersion, traceVersionOf } from "./row-chunks.ts";
import type { Segment, SessionSegments } from "./segments.ts";

/** Sizes of the parts of a session, in rows. */
interface ChunkSizes {
  /** Maximum rows of a small session, which is summed without segments. */
  readonly small: number;
  readonly segment: number;
  /** Newest rows of a session, which are most likely to change: no segment includes them. */
  readonly tail: number;
}

const defaultSizes: ChunkSizes = { small: 500, segment: 1000, tail: 100 };

/** Ranges read at the same time. */
const parallel = 4;

/** Milliseconds for summing a session, of the gateway's 29 s; the documents of the page are read after it. */
const requestMilliseconds = 20_000;

/** A part of a session: a segment, or the rows between two segments or after the last one. */
interface Part {
  readonly range: { readonly from: Buffer; readonly to: Buffer | null };
  readonly segment: Segment | null;
}

/** A part and its rows, in chunks; without chunks where the segment has a sum. */
interface PartRows extends Part {
  readonly chunks: readonly RowChunk[];
  readonly isComplete: boolean;
}

/** Consecutive rows of a session, and a function that returns the first `limit` trace versions of them. */
interface RowBlock {
  readonly count: number;
  readonly traces: (limit: number) => Promise<readonly TraceVersion[]>;
}

/** A session's sum, and a page of its traces by start and id. */
interface SessionSummary {
  readonly session: Session;
  readonly page: readonly TraceVersion[];
}

type KeyBounds = readonly [from: Buffer, to: Buffer];

/** Sort key before those of all rows. */
const lowestKey = Buffer.alloc(24);

/** Splits a session into its segments, in order, and the ranges between and after them. */
const partsOf = (segments: readonly Segment[]): readonly Part[] => {
  const parts: Part[] = [];
  let from: Buffer = lowestKey;
  for (const segment of segments) {
    if (!from.equals(segment.from)) parts.push({ range: { from, to: segment.from }, segment: null });
    parts.push({ range: segment, segment });
    from = segment.to;
  }
  return [...parts, { range: { from, to: null }, segment: null }];
};

/** Returns the bounds of new segments for rows that are in none. */
const newSegmentsIn = (
  { range: { from, to }, chunks, isComplete }: PartRows,
  { segment, tail }: ChunkSizes,
): readonly KeyBounds[] => {
  const last = chunks.at(-1)?.count ?? 0;
  const ends = [from, ...chunks.slice(1).map((chunk) => chunk.from)];
  // Too few remaining rows do not become a segment of their own.
  if (ends.length > 1 && isComplete && last < (to === null ? tail : segment / 2)) ends.pop();
  if (to !== null && isComplete) ends.push(to);
  return ends.flatMap((end, index): readonly KeyBounds[] => {
    const next = ends[index + 1];
    return next === undefined ? [] : [[end, next]];
  });
};

/** Returns the traces from index `first` up to but excluding `end` of consecutive row blocks. */
const tracesIn = async (blocks: readonly RowBlock[], first: number, end: number): Promise<readonly TraceVersion[]> => {
  const versions: TraceVersion[] = [];
  let start = 0;
  for (const { count, traces } of blocks) {
    const [from, to] = [Math.max(first - start, 0), Math.min(end - start, count)];
    if (from < to) versions.push(...(await traces(to)).slice(from, to));
    start += count;
  }
  return versions;
};

const stillCounting = () =>
  new Refusal({ kind: "unavailable", detail: "The session is large and still being counted. Try again in a minute." });

/**
 * Returns a function that sums a session: a small one from its rows, a large one from the stored sums of its segments
 * and from the rows of segments without one, whose sums it then stores. The function throws a Refusal `unavailable`
 * when there was no time to read all rows; the sums so far are stored.
 */
export const sessionSummary = (
  pages: SessionRowPages,
  segments: SessionSegments,
  now: () => number,
  sizes = defaultSizes,
) => {
  const wholeSession: KeyRange = { from: null, to: null };

  /** Returns the trace versions of the first rows of a range. */
  const tracesOf = async (
    project: string,
    session: string,
    range: KeyRange,
    limit: number,
  ): Promise<readonly TraceVersion[]> => {
    const traces: TraceVersion[] = [];
    let place: Parameters<SessionRowPages>[3] = { limit };
    do {
      const { rows, next } = await pages(project, session, range, place);
      traces.push(...rows.map(traceVersionOf));
      place = { next, limit: limit - traces.length };
    } while (place.next !== undefined && traces.length < limit);
    return traces;
  };

  /** Returns the trace versions of the rows after a row. */
  const tracesAfter = async (
    project: string,
    session: string,
    after: Buffer,
    limit: number,
  ): Promise<readonly TraceVersion[]> => {
    const before = keyOfRow(after).traceId;
    const traces = await tracesOf(project, session, { from: after, to: null }, limit + 1);
    return traces.filter(({ id }) => id !== before).slice(0, limit);
  };

  /** @param after sort key of the last row before the page; replaces `offset`. */
  return async (
    project: string,
    session: string,
    limit: number,
    offset: number,
    after: Buffer | null = null,
  ): Promise<SessionSummary | null> => {
    // The traces after a row are read separately: only the sum is needed of the session here.
    const [end, until] = [after === null ? offset + limit : 0, now() + requestMilliseconds];
    const firstPage =
      after !== null || offset < sizes.small
        ? await pages(project, session, wholeSession, { limit: sizes.small })
        : undefined;
    const isSmall = firstPage !== undefined && firstPage.next === undefined;
    const isInFirstPage = firstPage !== undefined && (isSmall || firstPage.rows.length >= end);
    const head = isSmall ? null : await segments.head(project, session);
    const parts = partsOf(head === null ? [] : await segments.list(project, session));

    const readPart = async (part: Part): Promise<PartRows> => {
      const { segment, range } = part;
      if (segment !== null && segment.sum !== null) return { ...part, chunks: [], isComplete: true };
      const { chunks, isComplete } = await readChunks((next) => pages(project, session, range, { next }), session, {
        chunkSize: sizes.segment,
        traceCount: isInFirstPage ? 0 : end,
        isLate: () => now() >= until,
        firstPage: parts.length === 1 ? firstPage : undefined,
      });
      if (segment?.isSettled === true && isComplete) {
        const sum = new SessionSum(session);
        for (const chunk of chunks) sum.addState(chunk.sum.state());
        const expiresAt = Math.min(...chunks.map((chunk) => chunk.expiresAt));
        await segments.saveSum(project, session, segment, sum.state(), expiresAt);
      }
      return { ...part, chunks, isComplete };
    };

    const partRows = await mapConcurrently(parts, parallel, readPart);
    const newSegments = partRows
      .filter(({ segment }) => segment === null)
      .flatMap((each) => newSegmentsIn(each, sizes));
    if (newSegments.length > 0) await segments.create(project, session, newSegments, head);
    if (partRows.some(({ isComplete }) => !isComplete)) throw stillCounting();

    const total = new SessionSum(session);
    const blocks: RowBlock[] = [];
    for (const { segment, range, chunks } of partRows) {
      if (segment !== null && segment.sum !== null) {
        total.addState(segment.sum);
        blocks.push({ count: segment.sum.count, traces: (limit) => tracesOf(project, session, range, limit) });
      }
      for (const { sum, count, traces } of chunks) {
        total.addState(sum.state());
        blocks.push({ count, traces: async () => traces });
      }
    }
    const summary = total.session();
    if (summary === null) return null;
    if (after !== null) return { session: summary, page: await tracesAfter(project, session, after, limit) };
    const firstPageTraces = firstPage?.rows.slice(offset, end).map(traceVersionOf);
    return { session: summary, page: isInFirstPage ? (firstPageTraces ?? []) : await tracesIn(blocks, offset, end) };
  };
};
