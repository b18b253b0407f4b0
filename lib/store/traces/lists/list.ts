import { listOrder, type SortKey, type SortOrder } from "../../../domain/list-order.ts";
import { type Position, uuidPosition } from "../../../domain/page.ts";
import { TopList } from "../../../domain/top-list.ts";
import type { TraceFilter } from "../../../domain/traces/filter.ts";
import type { ListedTrace } from "../../../domain/traces/row.ts";
import { traceSortKey, type TraceSortColumn } from "../../../domain/traces/sort.ts";
import { uuidBytes } from "../../../dynamo/bytes/text.ts";
import type { Database } from "../../../dynamo/database.ts";
import type { PackedTrace } from "../packed-trace.ts";
import { memoryBudget, memoryLimits, maxRows, rowBudget, rowBytes } from "../row-budget.ts";
import { rowPages } from "./row-pages.ts";
import { rowScan } from "../row-scan.ts";
import { rowsOfSession } from "../rows-of-session.ts";
import type { ScoresByName } from "../../../domain/score-condition.ts";
import { selection, type ScoresOf } from "./selection.ts";

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
interface TracePage {
  readonly rows: readonly PackedTrace[];
  readonly total: number;
  /** Cursor of the page's last trace; null when the list ends with the page. */
  readonly last: Position | null;
}

/** Lists of traces. */
export interface TraceList {
  /** Returns one page of all traces, newest first, and the total number of the project's traces. */
  page(project: string, limit: number, offset: number): Promise<TracePage>;
  /**
   * Returns one page of the matching traces, and their exact number; may lag writes by moments. Without a filter and
   * sorted by start, the number may lag by seconds, and the cost does not depend on it.
   *
   * @throws Refusal `invalid` when more than 2,000,000 rows would have to be read, or the traces before the page
   *   exceed the memory limit.
   */
  list(project: string, query: TraceQuery): Promise<TracePage>;
  /**
   * Visits every matching trace, strongly read, in no particular order, with its newest scores if the filter requires
   * them; scores may lag by seconds.
   *
   * @throws Refusal `invalid` when more than 2,000,000 rows are in the filter's range.
   */
  matching(
    project: string,
    filter: TraceFilter,
    visit: (trace: ListedTrace, scores: ScoresByName) => void,
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
  ): Promise<TracePage> => {
    const compare = listOrder<RowOrderKey>(order, byId);
    const start = after === null ? null : rowOrderKeyOf(after);
    const before = start === null ? offset : 0;
    // One trace more than needed shows whether the list continues.
    const topSize = before + limit + 1;
    const top = new TopList<Candidate>(topSize, compare);
    const countRow = rowBudget(rowLimit, ["query", "started_after"], "started_after and started_before");
    const addBytes = memoryBudget(
      memoryLimit,
      "traces before this page",
      ["query", "offset"],
      "offset, or the traces by filters",
    );
    // The top list keeps at most twice the page and everything before it.
    const maxCandidates = 2 * topSize;
    let [total, addedCount] = [0, 0];
    const selected = selection(project, filter, scoresOf, ["query", "score"], (trace, scores) => {
      total += 1;
      const key = sortBy === "score" ? (scores.get(sortScore)?.number ?? null) : traceSortKey(trace, sortBy);
      const candidate = { key, sort: trace.key, trace };
      if (start !== null && compare(candidate, start) <= 0) return;
      addedCount += 1;
      if (addedCount <= maxCandidates) addBytes(rowBytes + trace.bytes);
      top.add(candidate);
    });
    const visit = (trace: PackedTrace): void => {
      countRow();
      selected.add(trace);
    };
    await (filter.session === null
      ? scan.all(project, filter, { strongly: false, withIncarnations }, visit)
      : session(project, filter.session, filter, visit));
    await selected.finish();
    const topTraces = top.from(before);
    const pageTraces = topTraces.slice(0, limit);
    const end = topTraces.length > limit ? pageTraces.at(-1) : undefined;
    return {
      rows: pageTraces.map(({ trace }) => trace),
      total,
      last: end === undefined ? null : { key: end.key, id: end.trace.traceId },
    };
  };

  return {
    page: (project, limit, offset) => pages.page(project, "desc", { limit, offset, after: null }),
    list: (project, query) =>
      isPaged(query) ? pages.page(project, query.order, { after: null, ...query }) : filteredPage(project, query),
    matching: async (project, filter, visit) => {
      const countRow = rowBudget(rowLimit, ["body", "filters"], "date_from and date_to");
      const selected = selection(project, filter, scoresOf, ["body", "filters", "score"], visit);
      await scan.all(project, filter, { strongly: true, withIncarnations: filter.scores !== null }, (trace) => {
        countRow();
        selected.add(trace);
      });
      await selected.finish();
    },
  };
};
