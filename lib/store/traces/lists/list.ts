import { listOrder, type SortKey, type SortOrder } from "../../../domain/list-order.ts";
import { type Position, uuidPosition } from "../../../domain/page.ts";
import { invalid, type Refusal } from "../../../domain/refusal.ts";
import type { ScoresByName, ScoreTest } from "../../../domain/score-condition.ts";
import { topPage } from "../../../domain/top-list.ts";
import type { TraceFilter } from "../../../domain/traces/filter.ts";
import { traceSortKey, type TraceSortColumn } from "../../../domain/traces/sort.ts";
import { instantBytes } from "../../../dynamo/bytes/instant.ts";
import { uuidBytes } from "../../../dynamo/bytes/text.ts";
import type { Database } from "../../../dynamo/database.ts";
import { keyOfRow } from "../keys.ts";
import type { PackedTrace } from "../packed-trace.ts";
import { memoryBudget, memoryLimits, maxRows, rowBudget, rowBytes, rowScan } from "../row-scan.ts";
import { rowsOfSession } from "../rows-of-session.ts";
import type { FileDays, FiledPart } from "./file-days.ts";
import { rowPages } from "./row-pages.ts";
import { scanWithFiles } from "./scan-with-files.ts";

/** An incarnation of a trace; for a session the incarnation is null. */
export interface Incarnation {
  readonly id: string;
  readonly incarnation: string | null;
}

/**
 * Reads the newest successful scores of traces or sessions of a project that a test needs; results are in the order of
 * `incarnations`.
 */
export type ScoresOf = (
  project: string,
  incarnations: readonly Incarnation[],
  scores: Pick<ScoreTest, "names" | "giver">,
) => Promise<readonly ScoresByName[]>;

/** Traces or sessions whose newest scores one list may read: each costs half a read unit per name. */
export const maxScoreReads = 100_000;

/** Traces whose scores are read in one batch. */
const scoreBatchSize = 2_000;

const noScores: ScoresByName = new Map();

/** Checks the number of traces or sessions whose scores are to be read. @throws Refusal `invalid` above `max`. */
export const checkScoreReads = (incarnations: number, max: number, loc: readonly string[]): void => {
  if (incarnations <= max) return;
  const msg = `The scores of more than ${max.toLocaleString("en")} traces or sessions would have to be read. Add filters other than those of scores.`;
  throw invalid(loc, msg, "too_many_rows");
};

/**
 * Passes the traces that match a filter to `visit`, in no particular order: at once if the filter has no score
 * conditions, else when all rows have been added.
 *
 * @param loc path of the request field with the score conditions.
 */
export const selection = (
  project: string,
  filter: Pick<TraceFilter, "matches" | "scores">,
  scoresOf: ScoresOf | undefined,
  loc: readonly string[],
  visit: (trace: PackedTrace, scores: ScoresByName) => void,
) => {
  const { matches, scores } = filter;
  const pendingTraces: PackedTrace[] = [];
  return {
    /** Adds a row. @throws Refusal `invalid` when the scores of too many rows would have to be read. */
    add: (trace: PackedTrace): void => {
      if (!matches(trace)) return;
      if (scores === null) {
        visit(trace, noScores);
        return;
      }
      pendingTraces.push(trace);
      checkScoreReads(pendingTraces.length, maxScoreReads, loc);
    },
    finish: async (): Promise<void> => {
      if (scores === null) return;
      if (scoresOf === undefined)
        throw new Error("The filter has score conditions, but no score reader is configured.");
      while (pendingTraces.length > 0) {
        const batch = pendingTraces.splice(-scoreBatchSize);
        const incarnations = batch.map(({ traceId: id, incarnation }) => ({ id, incarnation }));
        const scoresOfBatch = await scoresOf(project, incarnations, scores);
        batch.forEach((trace, index) => {
          const traceScores = scoresOfBatch[index] ?? noScores;
          if (scores.matches(traceScores)) visit(trace, traceScores);
        });
      }
    },
  };
};

/** A request for a page of traces. */
export interface TraceQuery {
  readonly filter: TraceFilter;
  readonly sortBy: TraceSortColumn | "score";
  readonly order: SortOrder;
  readonly limit: number;
  readonly offset: number;
  /** True to include the incarnation of each trace. */
  readonly withIncarnations?: boolean;
  /** Name of the scores to sort by, if sorted by score. */
  readonly sortScore?: string | undefined;
  /** Cursor: sort key and id of the last trace before the page; replaces `offset`. */
  readonly after?: Position | null;
  /** Days that are read from files instead of rows; null for none. */
  readonly files?: FileDays | null;
  /** Path and names of the request's fields that narrow the list, for a refusal; by default those of a query. */
  readonly bounds?: readonly [loc: readonly string[], names: string];
}

const queryBounds: NonNullable<TraceQuery["bounds"]> = [["query", "started_after"], "started_after and started_before"];

/** A page of traces and the number of all matching traces. */
export interface TraceListPage {
  readonly rows: readonly PackedTrace[];
  readonly total: number;
  /** Cursor of the page's last trace; null when the list ends with the page. */
  readonly last: Position | null;
  /** True if there was no time to read all files: `total` then lacks matching traces. */
  readonly isCut?: boolean;
}

/** Lists of traces. */
export interface TraceList {
  /** Returns one page of all traces, newest first, and the total number of the project's traces. */
  page(project: string, limit: number, offset: number): Promise<TraceListPage>;
  /**
   * Returns one page of the matching traces, and their exact number; may lag writes by moments. Without a filter and
   * sorted by start, the number may lag by seconds, and the cost does not depend on it. So may the number, and the places of changed
   * traces, if days are read from files; a page never has a trace that is deleted or does not match.
   *
   * @throws Refusal `invalid` when more than 2,000,000 rows would have to be read, the traces before the page
   *   exceed the memory limit, or an order needs files for which there is no time.
   */
  list(project: string, query: TraceQuery): Promise<TraceListPage>;
  /**
   * Visits every matching trace, strongly read with its incarnation if asked for, in no particular order, with its newest scores if the
   * filter requires them; scores may lag by seconds.
   *
   * @throws Refusal `invalid` when more than 2,000,000 rows are in the filter's range.
   */
  matching(
    project: string,
    filter: TraceFilter,
    visit: (trace: PackedTrace, scores: ScoresByName) => void,
    withIncarnations?: boolean,
  ): Promise<void>;
}

/**
 * True if a list has to read all rows in its range; false for the traces of one session and for unfiltered lists by
 * start.
 */
export const readsRange = ({ filter, sortBy }: Pick<TraceQuery, "filter" | "sortBy">): boolean =>
  filter.session === null && !isPaged({ filter, sortBy });

/** True if a list is unfiltered and in the order in which rows are stored. */
const isPaged = ({ filter, sortBy }: Pick<TraceQuery, "filter" | "sortBy">): boolean =>
  filter.matchesAll && sortBy === "started_at";

interface RowOrderKey {
  readonly key: SortKey;
  /** Sort key of the row. */
  readonly sort: Buffer;
}

/** A trace that may be on the page; null for one in files, whose row is read when it is. */
interface Candidate extends RowOrderKey {
  readonly trace: PackedTrace | null;
}

/** Compares two rows by trace id: the bytes of the sort key after the start. */
const byId = (a: RowOrderKey, b: RowOrderKey): number => a.sort.compare(b.sort, 8, 24, 8, 24);

const rowOrderKeyOf = (position: Position): RowOrderKey => ({
  key: position.key,
  sort: Buffer.concat([Buffer.alloc(8), uuidBytes(uuidPosition(position).id)]),
});

/** Returns the refusal of a list whose files could not be read in time. */
const tooLittleTime = (loc: readonly string[], bounds: string): Refusal =>
  invalid(
    loc,
    `The files of these days could not be read in time. Narrow ${bounds}, or sort by started_at without an offset.`,
    "too_many_rows",
  );

export const traceList = (
  database: Database,
  now: () => number = Date.now,
  rowLimit = maxRows,
  memoryLimit: number = memoryLimits[1769],
  scoresOf?: ScoresOf,
): TraceList => {
  const pages = rowPages(database, now, rowLimit, memoryLimit);
  const scan = rowScan(database, now);
  const session = rowsOfSession(database, now);

  /** Reads the rows of a page's traces, without those that have gone or have changed so that they do not match. */
  const rowsOf = async (
    project: string,
    candidates: readonly Candidate[],
    { matches }: TraceFilter,
    withIncarnations: boolean,
  ): Promise<readonly PackedTrace[]> => {
    const keys = candidates.filter(({ trace }) => trace === null).map(({ sort }) => sort);
    const rows = new Map<string, PackedTrace>();
    const visit = (trace: PackedTrace): void => void (matches(trace) && rows.set(trace.traceId, trace));
    await scan.of(project, keys, { strongly: false, withIncarnations }, visit);
    return candidates.flatMap(({ trace, sort }) => trace ?? rows.get(keyOfRow(sort).traceId) ?? []);
  };

  const filteredPage = async (project: string, query: TraceQuery): Promise<TraceListPage> => {
    const { filter, sortBy, order, limit, offset, after = null, sortScore = "", files = null } = query;
    const { withIncarnations = filter.scores !== null, bounds = queryBounds } = query;
    const start = after === null ? null : rowOrderKeyOf(after);
    const compare = listOrder<RowOrderKey>(order, byId);
    const top = topPage<Candidate, RowOrderKey>(
      { limit, offset },
      compare,
      start,
      ({ sort }) => keyOfRow(sort).traceId,
    );
    const countRow = rowBudget(rowLimit, ...bounds);
    const addBytes = memoryBudget(
      memoryLimit,
      "traces before this page",
      ["query", "offset"],
      "offset, or the traces by filters",
    );
    // The top list keeps at most twice the page and everything before it.
    const maxCandidates = 2 * top.size;
    let [total, addedCount] = [0, 0];
    const selected = selection(project, filter, scoresOf, ["query", "score"], (trace, scores) => {
      total += 1;
      const key = sortBy === "score" ? (scores.get(sortScore)?.number ?? null) : traceSortKey(trace, sortBy);
      if (!top.add({ key, sort: trace.key, trace })) return;
      addedCount += 1;
      if (addedCount <= maxCandidates) addBytes(rowBytes + trace.bytes);
    });
    const visit = (trace: PackedTrace): void => {
      countRow();
      selected.add(trace);
    };
    const reading = { strongly: false, withIncarnations };
    const filedQuery = { sortBy, order, sortScore, limit: top.size, after };
    const question = { files, ask: (days: FileDays) => days.list(filedQuery) };
    const rows = { reading, visit, limit: [rowLimit, ...bounds] } as const;
    let part: FiledPart | null = null;
    if (filter.session === null) part = await scanWithFiles(scan, project, filter, rows, question);
    else await session(project, filter.session, filter, visit);
    await selected.finish();
    for (const { id, startedAt, key } of part?.traces ?? [])
      top.add({ key, sort: Buffer.concat([instantBytes(startedAt), uuidBytes(id)]), trace: null });
    const { items, last } = top.page();
    if (part === null || part.isWhole)
      return { rows: await rowsOf(project, items, filter, withIncarnations), total: total + (part?.total ?? 0), last };
    const end = part.end === null ? null : rowOrderKeyOf(part.end);
    const reached = items.filter((item) => end === null || compare(item, end) < 0);
    const isFull = end === null || reached.length === limit;
    if (sortBy !== "started_at" || (!isFull && start === null && offset > 0)) throw tooLittleTime(...bounds);
    return {
      rows: await rowsOf(project, reached, filter, withIncarnations),
      total: total + part.total,
      last: isFull ? (last ?? part.end) : part.end,
      isCut: true,
    };
  };

  return {
    page: (project, limit, offset) => pages.page(project, "desc", { limit, offset, after: null }),
    list: (project, query) =>
      isPaged(query) ? pages.page(project, query.order, { after: null, ...query }) : filteredPage(project, query),
    matching: async (project, filter, visit, withIncarnations = filter.scores !== null) => {
      const countRow = rowBudget(rowLimit, ["body", "filters"], "date_from and date_to");
      const selected = selection(project, filter, scoresOf, ["body", "filters", "score"], visit);
      await scan.all(project, filter, { strongly: true, withIncarnations }, (trace) => {
        countRow();
        selected.add(trace);
      });
      await selected.finish();
    },
  };
};
