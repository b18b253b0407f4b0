import { instantPosition, type Position, uuidPosition } from "../../domain/page.ts";
import { sessionWithoutTraces, type Session } from "../../domain/sessions/session.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { instantBytes } from "../../dynamo/bytes/instant.ts";
import { uuidBytes } from "../../dynamo/bytes/text.ts";
import type { Database } from "../../dynamo/database.ts";
import { sessionRowPages } from "../traces/rows-of-session.ts";
import { traceReader } from "../traces/reader.ts";
import { sessionMentions } from "./mentions.ts";
import { sessionSegments } from "./segments.ts";
import type { TraceVersion } from "./row-chunks.ts";
import { sessionSummary } from "./summary.ts";

/** Documents unpacked ahead of the one being returned; each may have 32 MiB. */
const readAhead = 3;

/** Traces whose pointers are read at once: at most 12 KB each. */
const batchSize = 100;

/** A session and a page of its traces. */
export interface SessionDetail {
  /** Sums over all traces of the session; may lag writes by moments, for a large session as long as the stream does. */
  readonly session: Session;
  /** Traces of the page by start and id, from the index; their documents are never older. */
  readonly page: readonly TraceVersion[];
  /** Traces that have spans of the session and belong to another one, by start. */
  readonly sharedTraces: readonly string[];
  /** Reads the documents of the page. @returns null when the session turns out to have no traces any more. */
  read(): Promise<SessionPageTraces | null>;
}

interface SessionPageTraces {
  /** Traces by start and id, read during iteration. Traces that left the session meanwhile are omitted. */
  readonly traces: AsyncIterable<Trace>;
  /**
   * Position of the page's last trace; null when the session ends with it. A position without a key belongs to a trace
   * that was deleted meanwhile: the next page is then found by its offset.
   */
  readonly last: Position | null;
}

export const sessionDetail = (database: Database, now: () => number = Date.now) => {
  const summarize = sessionSummary(sessionRowPages(database, now), sessionSegments(database, now), now);
  const reader = traceReader(database, now);
  const mentions = sessionMentions(database, reader);

  const readBatch = async function* (project: string, session: string, ids: readonly string[]): AsyncGenerator<Trace> {
    const small = await reader.wholeInPointers(project, ids);
    const readTrace = async (id: string): Promise<Trace | null> => {
      const unpack = small.get(id) ?? (() => reader.get(project, id));
      const storedTrace = await unpack();
      return storedTrace?.row.sessionId === session ? storedTrace.trace : null;
    };
    const reading: Promise<Trace | null>[] = [];
    const begin = (id: string | undefined): void => {
      if (id === undefined) return;
      const document = readTrace(id);
      // The consumer receives the error when it awaits the document; until then the rejection must not count as
      // unhandled.
      document.catch(() => undefined);
      reading.push(document);
    };
    for (const id of ids.slice(0, readAhead)) begin(id);
    for (let next = readAhead; reading.length > 0; next += 1) {
      const trace = await reading.shift();
      begin(ids[next]);
      if (trace !== undefined && trace !== null) yield trace;
    }
  };

  const readTraces = async function* (project: string, session: string, ids: readonly string[]): AsyncGenerator<Trace> {
    for (let start = 0; start < ids.length; start += batchSize)
      yield* readBatch(project, session, ids.slice(start, start + batchSize));
  };

  const sortOf = (position: Position): Buffer => {
    const { key, id } = instantPosition(uuidPosition(position));
    return Buffer.concat([instantBytes(key), uuidBytes(id)]);
  };

  const placeOf = async (project: string, id: string): Promise<Position> => {
    const storedRow = await reader.locate(project, id);
    return storedRow === null ? { key: null, id: "" } : { key: storedRow.row.startedAt, id };
  };

  /**
   * Returns a session and at most `limit` of its traces, after the cursor `after` or from `offset` on, each read
   * strongly consistent.
   *
   * @returns null when no trace has a span of the session.
   * @throws Refusal `unavailable` when the session is too large to be summed in one request; the sums so far are
   *   stored, so that a later request continues.
   */
  return async (
    project: string,
    session: string,
    limit: number,
    offset: number,
    after: Position | null = null,
  ): Promise<SessionDetail | null> => {
    const start = after === null || after.key === null ? null : sortOf(after);
    const [sessionSummary, shared] = await Promise.all([
      summarize(project, session, limit, offset, start),
      mentions(project, session),
    ]);
    const [firstShared] = shared;
    if (sessionSummary === null && firstShared === undefined) return null;
    const { session: summary, page } = sessionSummary ?? {
      session: sessionWithoutTraces(session, firstShared?.startedAt ?? ""),
      page: [],
    };
    const ids = page.map(({ id }) => id);
    const end = offset + ids.length < summary.traceCount ? ids.at(-1) : undefined;
    const readPage = async (): Promise<SessionPageTraces | null> => {
      const last = end === undefined ? null : await placeOf(project, end);
      const traces = readTraces(project, session, ids);
      const first = await traces.next();
      // The index may still list deleted traces; if the page is the whole session and all of it is gone, so is the
      // session.
      if (first.done === true && ids.length === summary.traceCount && shared.length === 0) return null;
      return { traces: withFirst(first, traces), last };
    };
    return { session: summary, page, sharedTraces: shared.map(({ traceId }) => traceId), read: readPage };
  };
};

const withFirst = async function* <Item>(
  first: IteratorResult<Item>,
  laterItems: AsyncIterable<Item>,
): AsyncGenerator<Item> {
  if (first.done !== true) yield first.value;
  yield* laterItems;
};
