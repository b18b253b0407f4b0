import { bucketOf, type Granularity, type Hour } from "../analytics/bucket.ts";
import { byCodePoint } from "../text.ts";
import {
  addStatistics,
  meanOf,
  medianOf,
  quantileOf,
  sortedCategories,
  sortedValues,
  valueCount,
  type ScoreStatistics,
} from "./statistics.ts";
import type { Instant } from "../instant.ts";

/** Statistics of the scores of one name that were created in an hour, or in a part of it. */
export interface HourStatistics {
  readonly hour: Hour;
  readonly name: string;
  readonly statistics: ScoreStatistics;
}

/** Summary of the scores of one name, as in API responses. */
export interface ScoreSummary {
  readonly metric_name: string;
  readonly avg_score: number | null;
  readonly min_score: number | null;
  readonly max_score: number | null;
  readonly median_score: number | null;
  readonly success_count: number;
  readonly failed_count: number;
  readonly inapplicable_count: number;
  readonly rule_based_count: number;
  readonly latest_score_at: Instant;
  /** The most frequent categories with their counts; absent without categories. */
  readonly values?: { readonly value: string; readonly count: number }[];
  /** Why the scores of the name cannot be compared; absent if they can. */
  readonly mixed?: ScoreMixture[];
}

/** Several data types under one name, or numbers from 0 to 1 beside greater ones. */
export const scoreMixtures = ["types", "scales"] as const;
type ScoreMixture = (typeof scoreMixtures)[number];

/** Max categories in a summary. */
const maxCategories = 50;

interface TrendBucket {
  readonly bucket: Instant;
  readonly metric_name: string;
  readonly avg_score: number;
  readonly p10_score: number;
  readonly p90_score: number;
  readonly count: number;
  readonly inapplicable_count: number;
  readonly rule_based_count: number;
}

/** Adds statistics by name, ordered by name; names without scores are left out. */
export const sumsByName = (
  parts: readonly HourStatistics[],
): readonly (readonly [name: string, sum: ScoreStatistics])[] =>
  [...Map.groupBy(parts, ({ name }) => name)]
    .toSorted(([a], [b]) => byCodePoint(a, b))
    .map(([name, scopedParts]) => [name, addStatistics(scopedParts.map(({ statistics }) => statistics))] as const)
    .filter(([, { success, failed, inapplicable }]) => success + failed + inapplicable > 0);

/** Builds the summary of a name. @param latestAt creation time of its newest score. */
export const summaryOf = (name: string, sum: ScoreStatistics, latestAt: Instant): ScoreSummary => {
  const [values, categories] = [sortedValues(sum), sortedCategories(sum)];
  const hasSeveralScales = values.some(([value]) => value > 0 && value < 1) && (values.at(-1)?.[0] ?? 0) > 1;
  return {
    metric_name: name,
    avg_score: meanOf(values),
    min_score: values[0]?.[0] ?? null,
    max_score: values.at(-1)?.[0] ?? null,
    median_score: medianOf(values),
    success_count: sum.success,
    failed_count: sum.failed,
    // A sum may be negative until all records of its stream have been folded.
    inapplicable_count: Math.max(0, sum.inapplicable),
    rule_based_count: Math.max(0, sum.ruleBased),
    latest_score_at: latestAt,
    ...(categories.length > 0 && {
      values: categories.slice(0, maxCategories).map(([value, count]) => ({ value, count })),
    }),
    ...(hasSeveralScales && { mixed: ["scales"] }),
  };
};

/** Marks the summaries of names whose scores have several data types. @param hasSeveralTypes true for such a name. */
export const markTypes = <Summary extends ScoreSummary>(
  summaries: readonly Summary[],
  hasSeveralTypes: ReadonlyMap<string, boolean>,
): Summary[] =>
  summaries.map((summary) =>
    hasSeveralTypes.get(summary.metric_name) === true
      ? { ...summary, mixed: ["types" as const, ...(summary.mixed ?? [])] }
      : summary,
  );

/** Computes the trend of one name by time bucket, ascending; buckets without a number are left out. */
export const trendOf = (name: string, parts: readonly HourStatistics[], granularity: Granularity): TrendBucket[] =>
  [...Map.groupBy(parts, ({ hour }) => bucketOf(hour, granularity))]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([bucket, scopedParts]) => {
      const sum = addStatistics(scopedParts.map(({ statistics }) => statistics));
      const values = sortedValues(sum);
      const inapplicable_count = Math.max(0, sum.inapplicable);
      const rule_based_count = Math.max(0, sum.ruleBased);
      const [avg_score, p10_score, p90_score] = [meanOf(values), quantileOf(values, 0.1), quantileOf(values, 0.9)];
      if (avg_score === null || p10_score === null || p90_score === null) return [];
      const count = valueCount(values);
      return [
        { bucket, metric_name: name, avg_score, p10_score, p90_score, count, inapplicable_count, rule_based_count },
      ];
    });
