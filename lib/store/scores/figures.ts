import * as v from "valibot";
import { hourNumber, hourOf, hourStart, hourText } from "../../domain/analytics/bucket.ts";
import { contentTest, type ScoreFilters } from "../../domain/scores/filter.ts";
import { scoreStatuses, type Score } from "../../domain/scores/score.ts";
import { statisticsOf } from "../../domain/scores/statistics.ts";
import type { HourStatistics } from "../../domain/scores/summary.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { listBudget, maxListItems } from "../totals/list-budget.ts";
import { newestFirst, type NewestFirstOptions } from "../totals/newest-first.ts";
import { countedFact } from "./codec.ts";
import { instantOfOrder } from "./keys.ts";
import type { ScoreKind } from "./kind.ts";
import { countEstimates } from "./count-estimates.ts";
import { allSources } from "./query.ts";
import { unpackStatistics } from "./statistics-codec.ts";
import { nameHash, statisticsPartition } from "./statistics-keys.ts";

/**
 * Filters of score statistics: name, version of a judge or metric, source, and creation time from `date_from` (inclusive) to
 * `date_to` (exclusive).
 */
export type FigureRange = Pick<ScoreFilters, "name" | "judge" | "source" | "metric_version" | "date_from" | "date_to">;

/** Bounds of all creation times of scores. */
const [firstInstant, lastInstant] = ["1970-01-01T00:00:00+00:00", "9999-01-01T00:00:00+00:00"];

const refusal = { noun: "scores", loc: ["query", "date_from"], advice: "Narrow date_from and date_to." } as const;

/** Max scores that are unpacked for the statistics of one version: each takes at least 20 us of CPU. */
const maxUnpacked = 100_000;

/** Index entries per partition that the search for the newest score reads first. */
const firstEntries = 10;

const entry = v.object({
  order_key: v.string(),
  n: v.string(),
  st: v.picklist(scoreStatuses),
  x: v.optional(v.string()),
  cat: v.optional(v.string()),
  d: v.unknown(),
});

const clamp = (instant: Instant): Instant =>
  instant < firstInstant ? firstInstant : instant > lastInstant ? lastInstant : instant;

/** Splits a range into its whole hours and the partial hours at its edges. */
const partsOf = ({ date_from: from = firstInstant, date_to: to = lastInstant }: FigureRange) => {
  const [start, end] = [clamp(from), clamp(to)];
  const startHour = hourStart(hourOf(start));
  const first = startHour === start ? startHour : hourStart(hourText(hourNumber(hourOf(start)) + 1));
  const last = hourStart(hourOf(end));
  if (first > last) return { whole: null, edges: [{ date_from: start, date_to: end }] };
  const edges = [
    { date_from: start, date_to: first },
    { date_from: last, date_to: end },
  ];
  return { whole: { first, last }, edges: edges.filter((edge) => edge.date_from < edge.date_to) };
};

/** Score statistics of one kind: whole hours come from stored sums, partial hours from the scores themselves. */
export const scoreFigures = <S extends Score>(
  database: Database,
  kind: ScoreKind<S>,
  now: () => number = Date.now,
  maxRead = maxListItems,
) => {
  const numbers = countEstimates(database, kind.target, now);

  const statisticsOfHours = async (project: string, name: string | undefined, first: Instant, last: Instant) => {
    const parts: HourStatistics[] = [];
    const items = itemsOf(database, "aggregates").query({
      pk: statisticsPartition(kind.target, project),
      // A sort key begins with its hour and is longer, so it sorts after the text of the hour.
      between: [hourOf(first), hourOf(last)],
      strongly: false,
    });
    const hash = name === undefined ? null : nameHash(name);
    for await (const item of items) {
      const { sort, name: scoreName, statistics } = unpackStatistics(item);
      if (hash === null || sort.startsWith(hash, 14))
        parts.push({ hour: sort.slice(0, 13), name: scoreName, statistics });
    }
    return parts;
  };

  /**
   * Yields the index entries of the range, newest first.
   *
   * @param first entries per partition in the first page; a full page when absent.
   */
  const entries = async function* (project: string, range: FigureRange, first?: number) {
    const sources = allSources(kind.target, project, range, now());
    const order: NewestFirstOptions = { sort: "order_key", ...(first !== undefined && { first }) };
    const matchesVersion = contentTest({ judge: range.judge, metric_version: range.metric_version });
    const unpacking = listBudget(maxUnpacked, refusal);
    for await (const item of newestFirst(database, "scores", sources, order)) {
      const parsed = v.parse(entry, item);
      if (matchesVersion !== null) {
        unpacking.onRead(1);
        if (!matchesVersion(kind.unpack(parsed.d))) continue;
      }
      yield parsed;
    }
  };

  /** Computes statistics from the scores instead of stored sums. */
  const fromScores = async (project: string, range: FigureRange): Promise<readonly HourStatistics[]> => {
    const parts: HourStatistics[] = [];
    for await (const { order_key: order, n: name, st: status, ...fact } of entries(project, range))
      parts.push({ hour: hourOf(order), name, statistics: statisticsOf({ ...countedFact(fact), status, order }, 1) });
    return parts;
  };

  return {
    /**
     * Reads statistics of the parts of a range, in no particular order; they may lag writes by seconds.
     *
     * @throws Refusal `invalid` when too many scores of one version would be read.
     */
    read: async (project: string, range: FigureRange): Promise<readonly HourStatistics[]> => {
      const { date_from: from, date_to: to } = range;
      if (from !== undefined && to !== undefined && from >= to) return [];
      if ([range.judge, range.source, range.metric_version].some((each) => each !== undefined)) {
        // Stored sums do not distinguish judges, sources and metric versions.
        listBudget(maxRead, refusal).expect((await numbers(project, range)).range);
        return await fromScores(project, range);
      }
      const { whole: wholeHours, edges } = partsOf(range);
      const parts = await Promise.all([
        wholeHours === null ? [] : statisticsOfHours(project, range.name, wholeHours.first, wholeHours.last),
        ...edges.map((edge) => fromScores(project, { ...edge, name: range.name })),
      ]);
      return parts.flat();
    },

    /** Reads the creation time of the range's newest unexpired score, from its index; null when there is none. */
    newest: async (project: string, range: FigureRange): Promise<Instant | null> => {
      for await (const { order_key } of entries(project, range, firstEntries)) return instantOfOrder(order_key);
      return null;
    },
  };
};
