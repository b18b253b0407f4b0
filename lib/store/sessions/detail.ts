import { instantPosition, type Position, uuidPosition } from "../../domain/page.ts";
import type { Session } from "../../domain/sessions/session.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { instantBytes } from "../bytes/instant.ts";
import { uuidBytes } from "../bytes/text.ts";
import type { Database } from "../database.ts";
import { sessionPages } from "../traces/rows-of-session.ts";
import { traceReader } from "../traces/reader.ts";
import { sessionSegments } from "./segments.ts";
import type { SessionTrace } from "./pieces.ts";
import { sessionSummary } from "./summary.ts";

/** Documents read ahead of the one that is wanted: each may have 32 MiB. */
const ahead = 3;

/** A session, and what the documents of some of its traces follow from. */
export interface SessionDetail {
  /** Of all traces; may lag behind writes by moments, of a large session as long as the stream does. */
  readonly session: Session;
  /** By start and id, as the index has them: documents are never older. */
  readonly page: readonly SessionTrace[];
  /** Reads the traces of the page. @returns null when it turns out that the session has none any more. */
  read(): Promise<SessionPageTraces | null>;
}

interface SessionPageTraces {
  /** Read while they are asked for, by start and id. Those that have left the session meanwhile are not among them. */
  readonly traces: AsyncIterable<Trace>;
  /** The place of the last of them; null when the session ends with it. Without a key only their number tells. */
  readonly last: Position | null;
}

export const sessionDetail = (database: Database, now: () => number = Date.now) => {
  const summarize = sessionSummary(sessionPages(database, now), sessionSegments(database, now), now);
  const reader = traceReader(database, now);

  const readOne = async (project: string, session: string, id: string): Promise<Trace | null> => {
    const found = await reader.get(project, id);
    return found?.row.sessionId === session ? found.trace : null;
  };

  const readAll = async function* (project: string, session: string, ids: readonly string[]): AsyncGenerator<Trace> {
    const reading: Promise<Trace | null>[] = [];
    const begin = (id: string | undefined): void => {
      if (id === undefined) return;
      const document = readOne(project, session, id);
      // Whoever waits for it gets the error; until then it is nobody's.
      document.catch(() => undefined);
      reading.push(document);
    };
    for (const id of ids.slice(0, ahead)) begin(id);
    for (let next = ahead; reading.length > 0; next += 1) {
      const trace = await reading.shift();
      begin(ids[next]);
      if (trace !== undefined && trace !== null) yield trace;
    }
  };

  const sortOf = (position: Position): Buffer => {
    const { key, id } = instantPosition(uuidPosition(position));
    return Buffer.concat([instantBytes(key), uuidBytes(id)]);
  };

  const placeOf = async (project: string, id: string): Promise<Position> => {
    const found = await reader.locate(project, id);
    return found === null ? { key: null, id: "" } : { key: found.row.startedAt, id };
  };

  /**
   * A session and the traces behind one, or from `offset` on, `limit` at most, each strongly read.
   *
   * @returns null when it has no traces.
   * @throws Refusal `unavailable` when it is too large to be added up at once; what was added up is kept.
   */
  return async (
    project: string,
    session: string,
    limit: number,
    offset: number,
    after: Position | null = null,
  ): Promise<SessionDetail | null> => {
    const start = after === null || after.key === null ? null : sortOf(after);
    const found = await summarize(project, session, limit, offset, start);
    if (found === null) return null;
    const { session: summary, page } = found;
    const ids = page.map(({ id }) => id);
    const end = offset + ids.length < summary.traceCount ? ids.at(-1) : undefined;
    const readPage = async (): Promise<SessionPageTraces | null> => {
      const last = end === undefined ? null : await placeOf(project, end);
      const traces = readAll(project, session, ids);
      const first = await traces.next();
      // The index still knows traces that are gone: all of them, when it was asked for all.
      if (first.done === true && ids.length === summary.traceCount) return null;
      return { traces: withFirst(first, traces), last };
    };
    return { session: summary, page, read: readPage };
  };
};

const withFirst = async function* <Item>(
  first: IteratorResult<Item>,
  others: AsyncIterable<Item>,
): AsyncGenerator<Item> {
  if (first.done !== true) yield first.value;
  yield* others;
};
