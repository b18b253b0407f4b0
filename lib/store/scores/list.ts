import * as v from "valibot";
import { awaitAll } from "../../async/concurrency.ts";
import type { SortOrder } from "../../domain/list-order.ts";
import { byPosition, instantPosition, type Page, type PageRequest, type Position } from "../../domain/page.ts";
import { scoreNumber } from "../../domain/scores/number.ts";
import { contentTest, type ScoreSortColumn } from "../../domain/scores/filter.ts";
import type { Score } from "../../domain/scores/score.ts";
import { topPage } from "../../domain/top-list.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf, type ItemPage as DynamoPage } from "../../dynamo/items.ts";
import { failedLists } from "../totals/failed-lists.ts";
import { checkOffset, listBudget, maxListItems } from "../totals/list-budget.ts";
import { listPage, type ListSources } from "../totals/list-page.ts";
import type { Source } from "../totals/newest-first.ts";
import { idOfOrder, scoreOrder } from "./keys.ts";
import type { ScoreKind } from "./kind.ts";
import { countEstimates, type CountEstimate } from "./count-estimates.ts";
import { scoreQueries, targetQuery, type ScoreFilter } from "./query.ts";
import { scoreReader } from "./reader.ts";

/** Sort order of a list of scores. */
interface ScoreSorting {
  readonly sortBy: ScoreSortColumn;
  readonly order: SortOrder;
}

const newestFirst: ScoreSorting = { sortBy: "created_at", order: "desc" };

/** Max scores that are read and unpacked for one page: each takes at least 20 us of CPU. */
const maxUnpacked = 100_000;

/** Max scores per page whose staleness is checked. */
const maxStalenessChecks = 10_000;

/**
 * Lists of scores of one kind. Lists by trace or session are read strongly consistent, the others from an index that
 * may lag.
 */
export interface ScoreLists<S extends Score> {
  /**
   * Reads a page of matching scores, newest first, and the number of all matches. The number comes from counters,
   * which may lag writes by seconds, when there is no filter or only a name or a run, with status, source and type;
   * otherwise it is exact.
   *
   * @throws Refusal `invalid` when too many scores would be read.
   */
  page(
    project: string,
    filter: ScoreFilter,
    limit: number,
    offset: number,
    after?: Position | null,
    sorting?: ScoreSorting,
  ): Promise<Page<S>>;
  /** Iterates over the matching scores of a trace or session, newest first. */
  ofTarget(project: string, filter: ScoreFilter & { readonly target_id: string }): AsyncIterable<S>;
}

/**
 * Max scores by which a counter can lag behind the list. A page whose offset is further beyond the counter is empty
 * without a read.
 */
const maxCounterLag = 100_000;

/**
 * Max expected number of reads for which scores are read in order until the page is full; above it all matching entries
 * are read in parallel.
 */
const maxOrderedReads = 20_000;

/**
 * Factor by which reading in order may exceed the expected number of reads, because matches can be unevenly
 * distributed.
 */
const readTolerance = 4;

/** Begin of a page: behind the score of a sort key, else behind a number of scores. */
interface PageStart {
  readonly limit: number;
  readonly offset: number;
  readonly order: string | null;
}

interface Candidate<S> extends Position {
  readonly score: S;
}

export const scoreList = <S extends Score>(
  database: Database,
  kind: ScoreKind<S>,
  now: () => number = Date.now,
  maxRead = maxListItems,
): ScoreLists<S> => {
  const items = itemsOf(database, "scores");
  const reader = scoreReader(database, kind, now);
  const staleness = kind.staleness(database, now);
  const failed = failedLists(database, now);
  const numbers = countEstimates(database, kind.target, now);

  /** Counts the matches of a source, and reads the sort keys of the first `orderCount` matches. */
  const countOf = async (source: Source, sort: string, orderCount: number, onRead: (items: number) => void) => {
    const orders: string[] = [];
    let [total, start]: [number, DynamoPage["next"]] = [0, undefined];
    do {
      // Entries after the page are only counted, not transferred.
      const only = total < orderCount ? { attributes: sort } : { countOnly: true };
      const page: DynamoPage = await items.page({ ...source, ...only, descending: true, start });
      onRead(page.scanned);
      for (const item of page.items) orders.push(v.parse(v.string(), item[sort]));
      total += page.count;
      start = page.next;
    } while (start !== undefined);
    return { orders: orders.slice(0, orderCount), total };
  };

  const pageWith = (items: S[], total: number, isEnd: boolean): Page<S> => {
    const end = isEnd ? undefined : items.at(-1);
    return { items, total, last: end === undefined ? null : { key: end.created_at, id: end.id } };
  };

  /** Reads a page and the exact number of matches by reading all sources in parallel. */
  const countedPage = async (
    project: string,
    { sort, sources }: { readonly sort: string; readonly sources: readonly Source[] },
    { limit, offset, order }: PageStart,
    onRead: (items: number) => void,
  ): Promise<Page<S>> => {
    const orderCount = order === null ? offset + limit + 1 : Number.POSITIVE_INFINITY;
    const counts = await Promise.all(sources.map((source) => countOf(source, sort, orderCount, onRead)));
    const orders = counts.flatMap((each) => each.orders).toSorted((a, b) => (a < b ? 1 : -1));
    const remainingOrders = order === null ? orders.slice(offset) : orders.filter((each) => each < order);
    const items = await reader.read(project, remainingOrders.slice(0, limit).map(idOfOrder));
    const total = counts.reduce((sum, each) => sum + each.total, 0);
    return pageWith(items, total, remainingOrders.length <= limit);
  };

  /**
   * Reads a page in order until it is full; null if that probably takes, or has taken, too many reads for the number of
   * scores in the range.
   */
  const orderedPage = async (
    matches: Pick<ListSources, "sort" | "sources">,
    { range, matching }: CountEstimate,
    { limit, offset, order }: PageStart,
    requestedOffset: number,
    budget: ReturnType<typeof listBudget>,
  ): Promise<Page<S> | null> => {
    if (matching === null) return null;
    const sparseness = Math.max(1, range / Math.max(1, matching));
    const expected = Math.min(range, (offset + limit) * sparseness);
    if (expected > maxOrderedReads && sparseness !== 1 && range <= maxRead) return null;
    if (offset >= matching + maxCounterLag) return { items: [], total: matching, last: null };
    checkOffset(Math.min(offset, matching), maxRead, "scores");
    budget.expect(expected);
    const { items, total, isEnd, isComplete } = await listPage(
      database,
      { table: "scores", ...matches },
      {
        limit,
        offset: requestedOffset,
        after: order,
        counterTotal: matching,
        sparseness,
        onRead: budget.onRead,
        maxReads: range <= maxRead ? readTolerance * expected + maxOrderedReads : Infinity,
      },
    );
    const scores = items.map(({ d }) => kind.unpack(d));
    return isComplete ? pageWith(scores, total, isEnd) : null;
  };

  /** Reads a page, in any sort order, of all scores of some sources that pass a test. */
  const selectPage = async (
    project: string,
    sources: readonly Source[],
    {
      targets,
      test,
      stale,
    }: Pick<ScoreFilter, "targets"> & {
      readonly test: (score: S) => boolean;
      readonly stale: boolean | undefined;
    },
    { sortBy, order }: ScoreSorting,
    { limit, offset, after }: PageRequest,
    onRead: (items: number) => void,
  ): Promise<Page<S>> => {
    const top = topPage<Candidate<S>, Position>({ limit, offset }, byPosition(order), after, ({ id }) => id);
    let total = 0;
    const stalenessBudget = listBudget(maxStalenessChecks, {
      noun: "scores",
      loc: ["query", "stale"],
      advice: "Add other filters.",
    });
    const filterByStaleness = async (scores: readonly S[]): Promise<readonly S[]> => {
      stalenessBudget.onRead(scores.length);
      const flags = await staleness(project, scores);
      return scores.filter((_, index) => flags[index] === stale);
    };
    const add = (score: S): void => {
      total += 1;
      top.add({ key: sortBy === "value" ? scoreNumber(score) : score.created_at, id: score.id, score });
    };
    const readSource = async (source: Source): Promise<void> => {
      for await (const page of items.pages(source)) {
        onRead(page.scanned);
        const ofTargets =
          targets === undefined ? page.items : page.items.filter((item) => targets.has(String(kind.targetOf(item))));
        const passing = ofTargets.map(({ d }) => kind.unpack(d)).filter(test);
        for (const score of stale === undefined ? passing : await filterByStaleness(passing)) add(score);
      }
    };
    await awaitAll(sources.map(readSource));
    const page = top.page();
    return { items: page.items.map(({ score }) => score), total, last: page.last };
  };

  return {
    page: async (project, filter, limit, requestedOffset, after = null, sorting = newestFirst) => {
      const isFailedOnly =
        filter.status === "FAILED" &&
        filter.target_id === undefined &&
        filter.eval_run_id === undefined &&
        (await failed.isComplete());
      const matches = scoreQueries(kind.target, project, filter, now(), isFailedOnly);
      if (matches === null) return { items: [], total: 0, last: null };
      const test = contentTest(filter);
      const { stale, targets } = filter;
      if (
        test !== null ||
        stale !== undefined ||
        targets !== undefined ||
        sorting.sortBy === "value" ||
        sorting.order === "asc"
      ) {
        const budget = listBudget(Math.min(maxRead, maxUnpacked), {
          noun: "scores",
          loc: ["query", "date_from"],
          advice: "Narrow date_from and date_to.",
        });
        const at = { limit, offset: requestedOffset, after };
        return await selectPage(
          project,
          matches.sources,
          { targets, test: test ?? (() => true), stale },
          sorting,
          at,
          budget.onRead,
        );
      }
      // A page requested by cursor (`after`) has no offset.
      const offset = after === null ? requestedOffset : 0;
      const order = after === null ? null : scoreOrder(instantPosition(after).key, after.id);
      const at = { limit, offset, order };
      // A trace or a session has few scores.
      if (filter.target_id !== undefined) return await countedPage(project, matches, at, () => undefined);
      const counts = await numbers(project, filter, isFailedOnly);
      const budget = listBudget(maxRead, {
        noun: "scores",
        loc: ["query", "date_from"],
        advice: "Narrow date_from and date_to.",
      });
      if (counts.matching === 0 && counts.range > maxRead) return { items: [], total: 0, last: null };
      const ordered = await orderedPage(matches, counts, at, requestedOffset, budget);
      if (ordered !== null) return ordered;
      budget.expect(counts.range);
      return await countedPage(project, matches, at, () => undefined);
    },

    ofTarget: async function* (project, filter) {
      const query = targetQuery(kind.target, project, filter, now());
      if (query === null) return;
      for await (const { d } of items.query(query)) yield kind.unpack(d);
    },
  };
};
