import { listOrder, type SortKey, type SortOrder } from "../../../domain/list-order.ts";
import { type Position, uuidPosition } from "../../../domain/page.ts";
import { TopList } from "../../../domain/top-list.ts";
import type { TraceFilter } from "../../../domain/traces/filter.ts";
import type { ListedTrace } from "../../../domain/traces/row.ts";
import { traceSortKey, type TraceSortColumn } from "../../../domain/traces/sort.ts";
import { uuidBytes } from "../../bytes/text.ts";
import type { Database } from "../../database.ts";
import type { PackedTrace } from "../packed-trace.ts";
import { heldBudget, heldLimits, maxRows, rowBudget, rowBytes } from "../row-budget.ts";
import { rowPages } from "./row-pages.ts";
import { rowScan } from "../row-scan.ts";
import { sessionIndex } from "../rows-of-session.ts";
import type { ScoresByName } from "../../../domain/score-condition.ts";
import { selection, type ScoresOf } from "./selection.ts";

/** Which traces to list, and how. */
export interface TraceQuery {
  readonly filter: TraceFilter;
  readonly sortBy: TraceSortColumn | "score";
  readonly order: SortOrder;
  readonly limit: number;
  readonly offset: number;
  /** Whether each is to say which life of its trace it is. */
  readonly lives?: boolean;
  /** The name of the scores that they are ordered by, where they are. */
  readonly sortScore?: string | undefined;
  /** The last trace before the page, in place of `offset`. */
  readonly after?: Position | null;
}

/** A page of traces and the number of all that match. */
interface TracePage {
  readonly rows: readonly PackedTrace[];
  readonly total: number;
  /** The place of its last trace; null when the list ends with it. */
  readonly last: Position | null;
}

export interface TraceList {
  /** One page of all traces, newest first, and the number of all traces of the project. */
  page(project: string, limit: number, offset: number): Promise<TracePage>;
  /**
   * One page of the traces that match, and their exact number; may lag writes by moments. Without a filter and by start the
   * number may lag by seconds, and the price does not depend on it.
   *
   * @throws Refusal `invalid` when more than 2,000,000 rows would have to be read, or those before the page would take more
   *   memory than there is.
   */
  list(project: string, query: TraceQuery): Promise<TracePage>;
  /**
   * Shows every trace that matches, strongly read, in no particular order, and its newest scores where the filter asks for
   * them; those may lag by seconds.
   *
   * @throws Refusal `invalid` when more than 2,000,000 rows are in the filter's range.
   */
  matching(
    project: string,
    filter: TraceFilter,
    see: (trace: ListedTrace, scores: ScoresByName) => void,
  ): Promise<void>;
}

/** Whether a list has to read all rows in its range; those of one session are another matter. */
export const readsRange = ({ filter, sortBy }: Pick<TraceQuery, "filter" | "sortBy">): boolean =>
  filter.session === null && !isPaged({ filter, sortBy });

/** Whether rows lie in the order that is asked for. */
const isPaged = ({ filter, sortBy }: Pick<TraceQuery, "filter" | "sortBy">): boolean =>
  filter.matchesAll && sortBy === "started_at";

interface Place {
  readonly key: SortKey;
  /** The sort key of a row. */
  readonly sort: Buffer;
}

interface Candidate extends Place {
  readonly trace: PackedTrace;
}

/** The bytes of a row's key after its start are the trace id's. */
const byId = (a: Place, b: Place): number => a.sort.compare(b.sort, 8, 24, 8, 24);

const placeOf = (position: Position): Place => ({
  key: position.key,
  sort: Buffer.concat([Buffer.alloc(8), uuidBytes(uuidPosition(position).id)]),
});

export const traceList = (
  database: Database,
  now: () => number = Date.now,
  rowLimit = maxRows,
  heldLimit: number = heldLimits[1769],
  scoresOf?: ScoresOf,
): TraceList => {
  const pages = rowPages(database, now, rowLimit, heldLimit);
  const scan = rowScan(database, now);
  const session = sessionIndex(database, now);

  const filtered = async (
    project: string,
    { filter, sortBy, order, limit, offset, after = null, lives = filter.scores !== null, sortScore = "" }: TraceQuery,
  ): Promise<TracePage> => {
    const compare = listOrder<Place>(order, byId);
    const start = after === null ? null : placeOf(after);
    const before = start === null ? offset : 0;
    // One more tells whether the list ends.
    const wanted = before + limit + 1;
    const top = new TopList<Candidate>(wanted, compare);
    const count = rowBudget(rowLimit, ["query", "started_after"], "started_after and started_before");
    const hold = heldBudget(
      heldLimit,
      "traces before this page",
      ["query", "offset"],
      "offset, or the traces by filters",
    );
    // Of what does not come first the list keeps no more than twice the page and all before it.
    const mostKept = 2 * wanted;
    let [total, added] = [0, 0];
    const selected = selection(project, filter, scoresOf, ["query", "score"], (trace, scores) => {
      total += 1;
      const key = sortBy === "score" ? (scores.get(sortScore)?.number ?? null) : traceSortKey(trace, sortBy);
      const candidate = { key, sort: trace.key, trace };
      if (start !== null && compare(candidate, start) <= 0) return;
      added += 1;
      if (added <= mostKept) hold(rowBytes + trace.bytes);
      top.add(candidate);
    });
    const see = (trace: PackedTrace): void => {
      count();
      selected.see(trace);
    };
    await (filter.session === null
      ? scan.all(project, filter, { strongly: false, lives }, see)
      : session(project, filter.session, filter, see));
    await selected.end();
    const found = top.from(before);
    const shown = found.slice(0, limit);
    const end = found.length > limit ? shown.at(-1) : undefined;
    return {
      rows: shown.map(({ trace }) => trace),
      total,
      last: end === undefined ? null : { key: end.key, id: end.trace.traceId },
    };
  };

  return {
    page: (project, limit, offset) => pages.page(project, "desc", { limit, offset, after: null }),
    list: (project, query) =>
      isPaged(query) ? pages.page(project, query.order, { after: null, ...query }) : filtered(project, query),
    matching: async (project, filter, see) => {
      const count = rowBudget(rowLimit, ["body", "filters"], "date_from and date_to");
      const selected = selection(project, filter, scoresOf, ["body", "filters", "score"], see);
      await scan.all(project, filter, { strongly: true, lives: filter.scores !== null }, (trace) => {
        count();
        selected.see(trace);
      });
      await selected.end();
    },
  };
};
