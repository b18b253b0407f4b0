import type { Instant } from "../../../domain/instant.ts";
import { instantPosition, type Position } from "../../../domain/page.ts";
import type { TraceFilter } from "../../../domain/traces/filter.ts";
import type { TextMatch } from "../../../domain/traces/search/matches.ts";
import type { TextTerm } from "../../../domain/traces/search/text-query.ts";
import { neededWords } from "../../../domain/traces/search/word-index.ts";
import type { Database } from "../../../dynamo/database.ts";
import { selection, type ScoresOf, type TraceListPage, type TraceQuery } from "../lists/list.ts";
import { keyOfPosition, rowPages } from "../lists/row-pages.ts";
import type { PackedTrace } from "../packed-trace.ts";
import { maxRows, memoryBudget, memoryLimits, rowBytes } from "../row-scan.ts";
import { rowsOfSession } from "../rows-of-session.ts";
import { documentSearch } from "./documents.ts";
import { indexedRows, lowestId } from "./indexed-rows.ts";
import type { WordIndex } from "./word-index.ts";

/** Milliseconds after which no further document is read for a page. */
const pageMilliseconds = 2_500;

/** Rows read at once, at first and later, and rows of a request. */
const [firstRows, nextRows, maxRowsOfPage] = [200, 1_000, 100_000];

/** Documents after which their outcomes are looked at. */
const documentsAtOnce = 400;

/** A page of traces that match, newest first: their number up to its end, the position of the last one that was searched, and what was read. */
export interface TextSearchPage extends TraceListPage {
  /** Where each of the rows matches. */
  readonly matches: readonly (readonly TextMatch[])[];
  /** Numbers of rows and documents that were read, of damaged documents, and of days whose index of words was asked; starts between which all traces were searched, null for no bound. */
  readonly searched: Readonly<
    Record<"rows" | "documents" | "skipped" | "indexed_days", number> & Record<"from" | "to", Instant | null>
  >;
}

const positionOf = ({ startedAt: key, traceId: id }: PackedTrace): Position => ({ key, id });

const startOf = (position: Position | null): Instant | null =>
  position === null ? null : instantPosition(position).key;

const newestFirst = (a: PackedTrace, b: PackedTrace): number => Buffer.compare(b.key, a.key);

/**
 * Search of a project's documents, newest traces first, as far as one request may read.
 *
 * @param index finds the traces of closed days that may match; without it all documents are searched.
 */
export const textSearch = (
  database: Database,
  scoresOf: ScoresOf,
  index: WordIndex | null,
  now: () => number = Date.now,
) => {
  const pages = rowPages(database, now, maxRows, memoryLimits[1769]);
  const [ofSession, begin] = [rowsOfSession(database, now), documentSearch(database, now)];
  const ofIndex = index === null ? null : indexedRows(database, index, now);

  /** Returns rows behind a position, newest first, before the filter; `last` is null at the end of the range. */
  const rowsOf = async (project: string, { from, to, session }: TraceFilter, start: Position | null, limit: number) => {
    if (session === null) {
      const { rows, last } = await pages.page(project, "desc", { limit, offset: 0, after: start });
      const isInRange = ({ startedAt }: PackedTrace): boolean => from === null || startedAt >= from;
      return rows.every(isInRange) ? { rows, last } : { rows: rows.filter(isInRange), last: null };
    }
    const rows: PackedTrace[] = [];
    const startKey = start === null ? null : keyOfPosition(start);
    const addBytes = memoryBudget(memoryLimits[1769], "traces", ["query", "session_id"], "the range of started_after");
    await ofSession(project, session, { from, to }, (row) => {
      if (startKey !== null && Buffer.compare(row.key, startKey) >= 0) return;
      addBytes(rowBytes + row.bytes);
      rows.push(row);
    });
    return { rows, last: null };
  };

  const matching = async (project: string, filter: TraceFilter, rows: readonly PackedTrace[]) => {
    const traces: PackedTrace[] = [];
    const selected = selection(project, filter, scoresOf, ["query", "score"], (trace) => traces.push(trace));
    for (const row of rows) selected.add(row);
    await selected.finish();
    return traces.sort(newestFirst);
  };

  return async (
    project: string,
    terms: readonly TextTerm[],
    { filter, limit, offset, after = null }: Pick<TraceQuery, "filter" | "limit" | "offset" | "after">,
  ): Promise<TextSearchPage> => {
    const search = begin(project, terms, pageMilliseconds);
    const hits: (readonly [PackedTrace, readonly TextMatch[]])[] = [];
    const words = neededWords(terms);
    let [rows, documents, skipped, last] = [0, 0, 0, after];
    const indexedDays = new Set<string>();
    const page = (): TextSearchPage => ({
      rows: hits.map(([row]) => row),
      matches: hits.map(([, matches]) => matches),
      total: offset + hits.length,
      last,
      searched: {
        rows,
        documents,
        skipped,
        indexed_days: indexedDays.size,
        from: startOf(last) ?? filter.from,
        to: startOf(after) ?? filter.to,
      },
    });
    const readRows = async (): Promise<Awaited<ReturnType<typeof rowsOf>>> => {
      const start = last ?? (filter.to === null ? null : { key: filter.to, id: lowestId });
      const isIndexable = ofIndex !== null && start !== null && filter.session === null;
      const indexed = isIndexable ? await ofIndex(project, filter, words, start) : null;
      if (indexed !== null) indexedDays.add(indexed.day);
      return indexed ?? (await rowsOf(project, filter, start, rows === 0 ? firstRows : nextRows));
    };
    do {
      const read = await readRows();
      const traces = await matching(project, filter, read.rows);
      rows += read.rows.length;
      for (let start = 0; start < traces.length; start += documentsAtOnce) {
        const block = traces.slice(start, start + documentsAtOnce);
        const outcomes = await search.outcomes(block);
        for (const [index, row] of block.entries()) {
          const outcome = outcomes[index] ?? null;
          if (outcome === "unread") return page();
          documents += 1;
          last = positionOf(row);
          if (outcome === "unreadable") skipped += 1;
          else if (outcome !== null) hits.push([row, outcome]);
          if (hits.length < limit) continue;
          if (read.last === null && row === traces.at(-1)) last = null;
          return page();
        }
      }
      last = read.last;
    } while (last !== null && rows < maxRowsOfPage && !search.isSpent());
    return page();
  };
};

export type TextSearch = ReturnType<typeof textSearch>;
