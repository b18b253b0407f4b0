import { listOrder, type SortKey, type SortOrder } from "../../../domain/list-order.ts";
import { type Position, uuidPosition } from "../../../domain/page.ts";
import { invalid } from "../../../domain/refusal.ts";
import type { ScoresByName, ScoreTest } from "../../../domain/score-condition.ts";
import { topPage } from "../../../domain/top-list.ts";
import type { TraceFilter } from "../../../domain/traces/filter.ts";
import { traceSortKey, type TraceSortColumn } from "../../../domain/traces/sort.ts";
import { uuidBytes } from "../../../dynamo/bytes/text.ts";
import type { Database } from "../../../dynamo/database.ts";
import type { PackedTrace } from "../packed-trace.ts";
import { memoryBudget, memoryLimits, maxRows, rowBudget, rowBytes, rowScan } from "../row-scan.ts";
import { rowsOfSession } from "../rows-of-session.ts";
import { rowPages } from "./row-pages.ts";

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
}

/** A page of traces and the number of all matching traces. */
export interface TraceListPage {
  readonly rows: readonly PackedTrace[];
  readonly total: number;
  /** Cursor of the page's last trace; null when the list ends with the page. */
  readonly last: Position | null;
}

/** Lists of traces. */
export interface TraceList {
  /** Returns one page of all traces, newest first, and the total number of the project's traces. */
  page(project: string, limit: number, offset: number): Promise<TraceListPage>;
  /**
   * Returns one page of the matching traces, and their exact number; may lag writes by moments. Without a filter and
   * sorted by start, the number may lag by seconds, and the cost does not depend on it.
   *
   * @throws Refusal `invalid` when more than 2,000,000 rows would have to be read, or the traces before the page
   *   exceed the memory limit.
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

interface Candidate extends RowOrderKey {
  readonly trace: PackedTrace;
}

/** Compares two rows by trace id: the bytes of the sort key after the start. */
const byId = (a: RowOrderKey, b: RowOrderKey): number => a.sort.compare(b.sort, 8, 24, 8, 24);

const rowOrderKeyOf = (position: Position): RowOrderKey => ({
  key: position.key,
  sort: Buffer.concat([Buffer.alloc(8), uuidBytes(uuidPosition(position).id)]),
});

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

  const filteredPage = async (
    project: string,
    {
      filter,
      sortBy,
      order,
      limit,
      offset,
      after = null,
      withIncarnations = filter.scores !== null,
      sortScore = "",
    }: TraceQuery,
  ): Promise<TraceListPage> => {
    const start = after === null ? null : rowOrderKeyOf(after);
    const compare = listOrder<RowOrderKey>(order, byId);
    const top = topPage<Candidate, RowOrderKey>({ limit, offset }, compare, start, ({ trace }) => trace.traceId);
    const countRow = rowBudget(rowLimit, ["query", "started_after"], "started_after and started_before");
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
    await (filter.session === null
      ? scan.all(project, filter, { strongly: false, withIncarnations }, visit)
      : session(project, filter.session, filter, visit));
    await selected.finish();
    const { items, last } = top.page();
    return { rows: items.map(({ trace }) => trace), total, last };
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
