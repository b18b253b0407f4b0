import { sideBySide } from "../../async/side-by-side.ts";
import { Refusal } from "../../domain/refusal.ts";
import { SessionSum, type Session } from "../../domain/sessions/session.ts";
import { keyOfRow } from "../traces/keys.ts";
import type { KeyRange, SessionPages } from "../traces/rows-of-session.ts";
import { readPieces, type Piece, type SessionTrace, traceOfRow } from "./pieces.ts";
import type { Segment, SessionSegments } from "./segments.ts";

/** How sessions are taken to pieces, in rows. */
interface Sizes {
  /** A session with more is large. */
  readonly small: number;
  readonly segment: number;
  /** The newest rows, which are most likely to change: no segment goes so far. */
  readonly tail: number;
}

const usual: Sizes = { small: 500, segment: 1000, tail: 100 };

/** Ranges read at a time. */
const parallel = 4;

/** What a request may take of the gateway's 29 s: the traces of the page are read behind it. */
const requestMilliseconds = 20_000;

/** A part of a session: a segment, or the rows between two or behind the last. */
interface Part {
  readonly range: { readonly from: Buffer; readonly to: Buffer | null };
  readonly segment: Segment | null;
}

/** What was found of a part. */
interface Found extends Part {
  readonly pieces: readonly Piece[];
  readonly isWhole: boolean;
}

/** Some rows of the session, by their order. */
interface Run {
  readonly count: number;
  readonly traces: (most: number) => Promise<readonly SessionTrace[]>;
}

/** A session summed up, and some of its traces by start and id. */
interface SessionSummary {
  readonly session: Session;
  readonly page: readonly SessionTrace[];
}

type Place = readonly [from: Buffer, to: Buffer];

/** Before every row. */
const beginning = Buffer.alloc(24);

/** All of a session, from its beginning: segments in their order, and what lies between and behind them. */
const partsOf = (segments: readonly Segment[]): readonly Part[] => {
  const parts: Part[] = [];
  let from: Buffer = beginning;
  for (const segment of segments) {
    if (!from.equals(segment.from)) parts.push({ range: { from, to: segment.from }, segment: null });
    parts.push({ range: segment, segment });
    from = segment.to;
  }
  return [...parts, { range: { from, to: null }, segment: null }];
};

/** The segments to be made of rows that lie in none. */
const placesIn = ({ range: { from, to }, pieces, isWhole }: Found, { segment, tail }: Sizes): readonly Place[] => {
  const last = pieces.at(-1)?.count ?? 0;
  const ends = [from, ...pieces.slice(1).map((piece) => piece.from)];
  // What is left over is no segment of its own.
  if (ends.length > 1 && isWhole && last < (to === null ? tail : segment / 2)) ends.pop();
  if (to !== null && isWhole) ends.push(to);
  return ends.flatMap((end, index): readonly Place[] => {
    const next = ends[index + 1];
    return next === undefined ? [] : [[end, next]];
  });
};

/** The traces at some places of runs that lie one behind the other. */
const tracesIn = async (runs: readonly Run[], first: number, end: number): Promise<readonly SessionTrace[]> => {
  const found: SessionTrace[] = [];
  let start = 0;
  for (const { count, traces } of runs) {
    const [from, to] = [Math.max(first - start, 0), Math.min(end - start, count)];
    if (from < to) found.push(...(await traces(to)).slice(from, to));
    start += count;
  }
  return found;
};

const uncounted = () =>
  new Refusal({ kind: "unavailable", detail: "The session is large and still being counted. Try again in a minute." });

/**
 * Sums a session up: a small one from its rows, a large one from the sums that are kept of its segments and from the rows
 * that no sum is kept of, which it keeps for the next one.
 *
 * @returns a function that throws a Refusal `unavailable` when there was no time for all rows; what it came to is kept.
 */
export const sessionSummary = (pages: SessionPages, segments: SessionSegments, now: () => number, sizes = usual) => {
  const all: KeyRange = { from: null, to: null };

  /** The traces of the first rows of a range. */
  const tracesOf = async (
    project: string,
    session: string,
    range: KeyRange,
    most: number,
  ): Promise<readonly SessionTrace[]> => {
    const traces: SessionTrace[] = [];
    let place: Parameters<SessionPages>[3] = { most };
    do {
      const { rows, next } = await pages(project, session, range, place);
      traces.push(...rows.map(traceOfRow));
      place = { next, most: most - traces.length };
    } while (place.next !== undefined && traces.length < most);
    return traces;
  };

  /** The traces behind a row. */
  const tracesAfter = async (
    project: string,
    session: string,
    after: Buffer,
    most: number,
  ): Promise<readonly SessionTrace[]> => {
    const before = keyOfRow(after).traceId;
    const traces = await tracesOf(project, session, { from: after, to: null }, most + 1);
    return traces.filter(({ id }) => id !== before).slice(0, most);
  };

  /** @param after the sort key of the last row before the page, in place of `offset`. */
  return async (
    project: string,
    session: string,
    limit: number,
    offset: number,
    after: Buffer | null = null,
  ): Promise<SessionSummary | null> => {
    // Behind a row its traces are looked for apart: of the session only the sum is wanted.
    const [end, until] = [after === null ? offset + limit : 0, now() + requestMilliseconds];
    const begun =
      after !== null || offset < sizes.small ? await pages(project, session, all, { most: sizes.small }) : undefined;
    const isSmall = begun !== undefined && begun.next === undefined;
    const isShown = begun !== undefined && (isSmall || begun.rows.length >= end);
    const head = isSmall ? null : await segments.head(project, session);
    const parts = partsOf(head === null ? [] : await segments.list(project, session));

    const readPart = async (part: Part): Promise<Found> => {
      const { segment, range } = part;
      if (segment !== null && segment.sum !== null) return { ...part, pieces: [], isWhole: true };
      const { pieces, isWhole } = await readPieces((next) => pages(project, session, range, { next }), session, {
        size: sizes.segment,
        named: isShown ? 0 : end,
        isLate: () => now() >= until,
        begun: parts.length === 1 ? begun : undefined,
      });
      if (segment?.isSettled === true && isWhole) {
        const sum = new SessionSum(session);
        for (const piece of pieces) sum.addState(piece.sum.state());
        const expiresAt = Math.min(...pieces.map((piece) => piece.expiresAt));
        await segments.keep(project, session, segment, sum.state(), expiresAt);
      }
      return { ...part, pieces, isWhole };
    };

    const found = await sideBySide(parts, parallel, readPart);
    const places = found.filter(({ segment }) => segment === null).flatMap((each) => placesIn(each, sizes));
    if (places.length > 0) await segments.make(project, session, places, head);
    if (found.some(({ isWhole }) => !isWhole)) throw uncounted();

    const total = new SessionSum(session);
    const runs: Run[] = [];
    for (const { segment, range, pieces } of found) {
      if (segment !== null && segment.sum !== null) {
        total.addState(segment.sum);
        runs.push({ count: segment.sum.count, traces: (most) => tracesOf(project, session, range, most) });
      }
      for (const { sum, count, traces } of pieces) {
        total.addState(sum.state());
        runs.push({ count, traces: async () => traces });
      }
    }
    const summary = total.session();
    if (summary === null) return null;
    if (after !== null) return { session: summary, page: await tracesAfter(project, session, after, limit) };
    const shown = begun?.rows.slice(offset, end).map(traceOfRow);
    return { session: summary, page: isShown ? (shown ?? []) : await tracesIn(runs, offset, end) };
  };
};
