import { paginateQuery, QueryCommand, type QueryCommandOutput } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { allEnded } from "../../async/all-ended.ts";
import type { SortOrder } from "../../domain/list-order.ts";
import { byPosition, instantPosition, type Page, type PageAt, type Position } from "../../domain/page.ts";
import { contentTest, numberOf, type ScoreSortColumn } from "../../domain/scores/filter.ts";
import type { Score } from "../../domain/scores/score.ts";
import { TopList } from "../../domain/top-list.ts";
import type { Database } from "../database.ts";
import { listBudget, maxListed } from "../list-budget.ts";
import { listPage } from "../list-page.ts";
import type { Source } from "../newest-first.ts";
import { idOfOrder, scoreOrder } from "./keys.ts";
import type { ScoreKind } from "./kind.ts";
import { scoreNumbers } from "./numbers.ts";
import { scoreSources, targetQuery, type ScoreFilter } from "./query.ts";
import { scoreReader } from "./reader.ts";

/** What a list of scores is ordered by. */
interface ScoreSorting {
  readonly sortBy: ScoreSortColumn;
  readonly order: SortOrder;
}

const newestFirst: ScoreSorting = { sortBy: "created_at", order: "desc" };

/** Scores that are read and unpacked for one page: each takes 20 us of CPU and more. */
const mostUnpacked = 100_000;

/** Scores of which one page asks whether they are stale. */
const mostMarked = 10_000;

/** Scores of one kind in lists; those by trace or session are read strongly, the others from an index that may lag. */
export interface ScoreList<S extends Score> {
  /**
   * A page, newest first, and how many match altogether. Without a filter, and by what is counted (the name or the run, with
   * status, source and type), the number may lag writes by seconds; else it is counted.
   *
   * @throws Refusal `invalid` when too many scores would have to be read.
   */
  page(
    project: string,
    filter: ScoreFilter,
    limit: number,
    offset: number,
    after?: Position | null,
    sorting?: ScoreSorting,
  ): Promise<Page<S>>;
  /** The matching scores of a trace or session, newest first. */
  ofTarget(project: string, filter: ScoreFilter & { readonly target_id: string }): AsyncIterable<S>;
}

/** No counter lags by so many scores: what is asked for beyond is not there, which nothing has to be read to know. */
const farBeyond = 100_000;

/** Scores that are rather read in their order than all that may match side by side: those of a page, mostly. */
const readInOrder = 20_000;

/** How many times more than expected are read in their order: what matches may lie closer together. */
const patience = 4;

const counted = v.object({ Count: v.number() });

interface Candidate<S> extends Position {
  readonly score: S;
}

/** More had to be read than the counters let expect. */
class Sparse extends Error {}

export const scoreList = <S extends Score>(
  database: Database,
  kind: ScoreKind<S>,
  now: () => number = Date.now,
  mostRead = maxListed,
): ScoreList<S> => {
  const { client, table } = database;
  const TableName = table("scores");
  const reader = scoreReader(database, kind, now);
  const staleness = kind.staleness(database, now);
  const numbers = scoreNumbers(database, kind.target, now);

  /** How many a source has that match, and the orders of the first `wanted`. */
  const countOf = async (source: Source, sort: string, wanted: number, onRead: (items: number) => void) => {
    const orders: string[] = [];
    let [total, start]: [number, Record<string, unknown> | undefined] = [0, undefined];
    do {
      // What comes after the page is only counted: nothing of it is sent.
      const only = total < wanted ? { ProjectionExpression: sort } : { Select: "COUNT" as const };
      const page: QueryCommandOutput = await client.send(
        new QueryCommand({ TableName, ...source, ...only, ScanIndexForward: false, ExclusiveStartKey: start }),
      );
      onRead(page.ScannedCount ?? 0);
      for (const item of page.Items ?? []) orders.push(v.parse(v.string(), item[sort]));
      total += v.parse(counted, page).Count;
      start = page.LastEvaluatedKey;
    } while (start !== undefined);
    return { orders: orders.slice(0, wanted), total };
  };

  const pageWith = (items: S[], total: number, isEnd: boolean): Page<S> => {
    const end = isEnd ? undefined : items.at(-1);
    return { items, total, last: end === undefined ? null : { key: end.created_at, id: end.id } };
  };

  /** A page of some sources, all of which are read, side by side, and the exact number of what matches. */
  const counting = async (
    project: string,
    { sort, sources }: { readonly sort: string; readonly sources: readonly Source[] },
    { limit, offset, order }: { readonly limit: number; readonly offset: number; readonly order: string | null },
    onRead: (items: number) => void,
  ): Promise<Page<S>> => {
    const wanted = order === null ? offset + limit + 1 : Number.POSITIVE_INFINITY;
    const found = await Promise.all(sources.map((source) => countOf(source, sort, wanted, onRead)));
    const orders = found.flatMap((each) => each.orders).toSorted((a, b) => (a < b ? 1 : -1));
    const behind = order === null ? orders.slice(offset) : orders.filter((each) => each < order);
    const items = await reader.read(project, behind.slice(0, limit).map(idOfOrder));
    const total = found.reduce((sum, each) => sum + each.total, 0);
    return pageWith(items, total, behind.length <= limit);
  };

  /** How many there are at least that previous versions have listed: 1 when there are any. */
  const numberOfFormer = async (project: string): Promise<number> => {
    const former = scoreSources(kind.target, project, {}, now())?.former;
    const page = await client.send(new QueryCommand({ TableName, ...former, Select: "COUNT", Limit: 1 }));
    return v.parse(counted, page).Count;
  };

  /** The scores in entries of an index; the index of previous versions does not have them. */
  const scoresIn = async (project: string, entries: readonly Readonly<Record<string, unknown>>[]): Promise<S[]> => {
    const bare = entries.filter(({ d }) => d === undefined).map(({ order_key: order }) => idOfOrder(String(order)));
    const read = new Map((await reader.read(project, bare)).map((score) => [score.id, score]));
    return entries.flatMap(({ d, order_key: order }) =>
      d === undefined ? (read.get(idOfOrder(String(order))) ?? []) : kind.unpack(d),
    );
  };

  /** A page of all scores of some sources that pass a test, in any order. */
  const selecting = async (
    project: string,
    sources: readonly Source[],
    { test, stale }: { readonly test: (score: S) => boolean; readonly stale: boolean | undefined },
    { sortBy, order }: ScoreSorting,
    { limit, offset, after }: PageAt,
    onRead: (items: number) => void,
  ): Promise<Page<S>> => {
    const compare = byPosition(order);
    const before = after === null ? offset : 0;
    // One more tells whether the list ends.
    const top = new TopList<Candidate<S>>(before + limit + 1, compare);
    let total = 0;
    const marking = listBudget(mostMarked, { what: "scores", loc: ["query", "stale"], advice: "Add other filters." });
    const staleOnes = async (scores: readonly S[]): Promise<readonly S[]> => {
      marking.onRead(scores.length);
      const found = await staleness(project, scores);
      return scores.filter((_, index) => found[index] === stale);
    };
    const see = (score: S): void => {
      total += 1;
      const candidate = { key: sortBy === "value" ? numberOf(score) : score.created_at, id: score.id, score };
      if (after === null || compare(candidate, after) > 0) top.add(candidate);
    };
    const read = async (source: Source): Promise<void> => {
      for await (const page of paginateQuery({ client }, { TableName, ...source })) {
        onRead(page.ScannedCount ?? 0);
        const passing = (await scoresIn(project, page.Items ?? [])).filter(test);
        for (const score of stale === undefined ? passing : await staleOnes(passing)) see(score);
      }
    };
    await allEnded(sources.map(read));
    const behind = top.from(before);
    const shown = behind.slice(0, limit);
    const end = behind.length > limit ? shown.at(-1) : undefined;
    return {
      items: shown.map(({ score }) => score),
      total,
      last: end === undefined ? null : { key: end.key, id: end.id },
    };
  };

  return {
    page: async (project, filter, limit, before, after = null, sorting = newestFirst) => {
      const found = scoreSources(kind.target, project, filter, now());
      if (found === null) return { items: [], total: 0, last: null };
      const test = contentTest(filter);
      const { stale } = filter;
      if (test !== null || stale !== undefined || sorting.sortBy === "value" || sorting.order === "asc") {
        const budget = listBudget(Math.min(mostRead, mostUnpacked), {
          what: "scores",
          loc: ["query", "date_from"],
          advice: "Narrow date_from and date_to.",
        });
        const sources =
          filter.target_id !== undefined || filter.eval_run_id !== undefined
            ? found.sources
            : [...found.sources, found.former];
        const at = { limit, offset: before, after };
        return await selecting(project, sources, { test: test ?? (() => true), stale }, sorting, at, budget.onRead);
      }
      // Behind a score nothing is left out.
      const offset = after === null ? before : 0;
      const order = after === null ? null : scoreOrder(instantPosition(after).key, after.id);
      const { sort, former } = found;
      const at = { limit, offset, order };
      // A trace or a session has few.
      if (filter.target_id !== undefined) return await counting(project, found, at, () => undefined);
      const isRun = filter.eval_run_id !== undefined;
      const [{ range, matching: told }, old] = await Promise.all([
        numbers(project, filter),
        isRun ? numberOfFormer(project) : countOf(former, sort, 0, () => undefined).then(({ total }) => total),
      ]);
      // Those of a run are in one index, whoever has listed them: it does not tell which of them are counted.
      const matching = isRun && old > 0 ? null : told;
      const budget = listBudget(mostRead, {
        what: "scores",
        loc: ["query", offset > limit ? "offset" : "date_from"],
        advice: "Narrow date_from and date_to.",
      });
      if (matching === 0 && old === 0 && range > mostRead) return { items: [], total: 0, last: null };
      const sources = old === 0 || isRun ? found.sources : [...found.sources, former];
      const sparseness = matching === null ? Number.POSITIVE_INFINITY : Math.max(1, range / Math.max(1, matching));
      const expected = Math.min(range, (offset + limit) * sparseness);
      if (matching !== null && (expected <= readInOrder || sparseness === 1 || range > mostRead)) {
        if (offset >= matching + old + farBeyond) return { items: [], total: matching + old, last: null };
        budget.expect(expected);
        // What previous versions have listed is read as it always was.
        const most = patience * expected + readInOrder + old;
        let read = 0;
        const onRead = (items: number): void => {
          read += items;
          if (read > most && range <= mostRead) throw new Sparse();
          if (read > old) budget.onRead(Math.min(items, read - old));
        };
        try {
          const asked = { limit, offset: before, after: order, counted: matching + old, sparseness, onRead };
          const { items, total, isEnd } = await listPage(database, { table: "scores", sort, sources }, asked);
          return pageWith(await scoresIn(project, items), total, isEnd);
        } catch (error) {
          if (!(error instanceof Sparse)) throw error;
        }
      }
      budget.expect(range);
      return await counting(project, { sort, sources }, at, () => undefined);
    },

    ofTarget: async function* (project, filter) {
      const query = targetQuery(kind.target, project, filter, now());
      if (query === null) return;
      for await (const page of paginateQuery({ client }, { TableName, ...query })) {
        for (const item of page.Items ?? []) yield kind.unpack(item["d"]);
      }
    },
  };
};
