import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { hourNumber, hourOf, hourStart, hourText } from "../../domain/analytics/bucket.ts";
import { contentTest, type ScoreFilters } from "../../domain/scores/filter.ts";
import { scoreStatuses, type Score } from "../../domain/scores/score.ts";
import { statisticsOf } from "../../domain/scores/statistics.ts";
import type { StatisticsOfHour } from "../../domain/scores/summary.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../database.ts";
import { listBudget, maxListed } from "../list-budget.ts";
import { newestFirst } from "../newest-first.ts";
import { countedValue, isCounted } from "./counted-value.ts";
import { idOfOrder, instantOfOrder } from "./keys.ts";
import type { ScoreKind } from "./kind.ts";
import { scoreNumbers } from "./numbers.ts";
import { allSources } from "./query.ts";
import { scoreReader } from "./reader.ts";
import { unpackStatistics } from "./statistics-codec.ts";
import { nameHash, statisticsPartition } from "./statistics-keys.ts";

/** Scores of which statistics are asked: of one name or of all, of one version of a judge or of a metric, made then or later, and before then. */
export type FigureRange = Pick<ScoreFilters, "name" | "judge" | "metric_version" | "date_from" | "date_to">;

/** No score was made before or is made after: hours beyond have no text. */
const [firstInstant, lastInstant] = ["1970-01-01T00:00:00+00:00", "9999-01-01T00:00:00+00:00"];

const refusal = { what: "scores", loc: ["query", "date_from"], advice: "Narrow date_from and date_to." } as const;

/** Scores that are unpacked for the figures of one version: each takes 20 us of CPU and more. */
const mostUnpacked = 100_000;

/** Entries of each source among which the newest is looked for at first. */
const firstEntries = 10;

const entry = v.object({
  order_key: v.string(),
  n: v.string(),
  st: v.picklist(scoreStatuses),
  x: v.optional(v.string()),
  d: v.optional(v.unknown()),
});

const bounded = (instant: Instant): Instant =>
  instant < firstInstant ? firstInstant : instant > lastInstant ? lastInstant : instant;

/** The whole hours of a range, and what of it lies before and after them. */
const partsOf = ({ date_from: from = firstInstant, date_to: to = lastInstant }: FigureRange) => {
  const [start, end] = [bounded(from), bounded(to)];
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

/** Statistics of the scores of a kind: whole hours from their sums, the edges of a range from the scores themselves. */
export const scoreFigures = <S extends Score>(
  database: Database,
  kind: ScoreKind<S>,
  now: () => number = Date.now,
  mostRead = maxListed,
) => {
  const { client, table } = database;
  const numbers = scoreNumbers(database, kind.target, now);
  const reader = scoreReader(database, kind, now);

  const wholeHours = async (project: string, name: string | undefined, first: Instant, last: Instant) => {
    const parts: StatisticsOfHour[] = [];
    const pages = paginateQuery(
      { client },
      {
        TableName: table("aggregates"),
        // What a sort key says beyond its hour puts it behind the hour's own text.
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :last",
        ExpressionAttributeValues: {
          ":pk": statisticsPartition(kind.target, project),
          ":first": hourOf(first),
          ":last": hourOf(last),
        },
      },
    );
    const hash = name === undefined ? null : nameHash(name);
    for await (const page of pages) {
      for (const item of page.Items ?? []) {
        const { sort, name: named, statistics } = unpackStatistics(item);
        if (hash === null || sort.startsWith(hash, 14))
          parts.push({ hour: sort.slice(0, 13), name: named, statistics });
      }
    }
    return parts;
  };

  /** The score of an entry; the index of previous versions does not have it. */
  const scoresOf = async (project: string, { d, order_key: order }: v.InferOutput<typeof entry>) =>
    d === undefined ? await reader.read(project, [idOfOrder(order)]) : [kind.unpack(d)];

  /** @param first entries that each source is asked for at first; all that a page has when absent. */
  const entries = async function* (project: string, range: FigureRange, first?: number) {
    const sources = allSources(kind.target, project, range, now());
    const order = { sort: "order_key", ...(first !== undefined && { first }) };
    const test = contentTest({ metric_version: range.metric_version });
    const unpacking = listBudget(mostUnpacked, refusal);
    for await (const item of newestFirst(database, "scores", sources, order)) {
      const found = v.parse(entry, item);
      if (test !== null) {
        unpacking.onRead(1);
        if (!(await scoresOf(project, found)).some(test)) continue;
      }
      yield found;
    }
  };

  /** From the scores themselves. */
  const counted = async (project: string, range: FigureRange): Promise<readonly StatisticsOfHour[]> => {
    const parts: StatisticsOfHour[] = [];
    for await (const { order_key: order, n: name, st: status, x } of entries(project, range)) {
      const fact = { status, value: countedValue(x), inapplicable: !isCounted(x), order };
      parts.push({ hour: hourOf(order), name, statistics: statisticsOf(fact, 1) });
    }
    return parts;
  };

  return {
    /**
     * Sums of parts of the range in no particular order; they may lag writes by seconds.
     *
     * @throws Refusal `invalid` when too many scores would have to be read for those of one version.
     */
    read: async (project: string, range: FigureRange): Promise<readonly StatisticsOfHour[]> => {
      const { date_from: from, date_to: to } = range;
      if (from !== undefined && to !== undefined && from >= to) return [];
      if (range.judge !== undefined || range.metric_version !== undefined) {
        // Sums tell neither judges nor versions apart.
        listBudget(mostRead, refusal).expect((await numbers(project, range)).range);
        return await counted(project, range);
      }
      const { whole, edges } = partsOf(range);
      const parts = await Promise.all([
        whole === null ? [] : wholeHours(project, range.name, whole.first, whole.last),
        ...edges.map((edge) => counted(project, { ...edge, name: range.name })),
      ]);
      return parts.flat();
    },

    /** When the newest live score of the range was made, as its index has it; null when there is none. */
    newest: async (project: string, range: FigureRange): Promise<Instant | null> => {
      for await (const { order_key } of entries(project, range, firstEntries)) return instantOfOrder(order_key);
      return null;
    },
  };
};
