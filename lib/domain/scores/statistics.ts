import { byCodePoint } from "../text.ts";
import type { ScoreStatus } from "./score.ts";

/** Fields of a score that statistics read; `value` is null for a score without a number. */
export interface ScoreFact {
  readonly status: ScoreStatus;
  readonly value: number | null;
  /** Value of a CATEGORICAL score. */
  readonly category?: string | undefined;
  /** True if the metric does not apply: neither status nor value is counted then. */
  readonly inapplicable?: boolean | undefined;
  /** True for a score by fixed rules, see `isRuleBased`. */
  readonly ruleBased?: boolean | undefined;
  /** Creation time and id of the score, see `scoreOrder`. */
  readonly order: string;
}

/**
 * Statistics of the scores of one name. Adding and subtracting are exact, except for `latest`, the newest score ever
 * added: readers must check that it still exists.
 */
export interface ScoreStatistics {
  readonly success: number;
  readonly failed: number;
  /** Number of scores whose metric does not apply. */
  readonly inapplicable: number;
  /** Number of the successes that fixed rules gave. */
  readonly ruleBased: number;
  readonly latest: string;
  /** Number of occurrences of each number of the successful scores; may be negative in a partial sum. */
  readonly values: ReadonlyMap<number, number>;
  /** Number of occurrences of each category. */
  readonly categories: ReadonlyMap<string, number>;
}

export const noStatistics: ScoreStatistics = {
  success: 0,
  failed: 0,
  inapplicable: 0,
  ruleBased: 0,
  latest: "",
  values: new Map(),
  categories: new Map(),
};

/** Returns the contribution of one score. @param sign -1 to subtract the score. */
export const statisticsOf = (
  { status, value, category, inapplicable = false, ruleBased = false, order }: ScoreFact,
  sign: 1 | -1,
): ScoreStatistics => {
  const isSuccess = !inapplicable && status === "SUCCESS";
  return {
    success: isSuccess ? sign : 0,
    failed: !inapplicable && status === "FAILED" ? sign : 0,
    inapplicable: inapplicable ? sign : 0,
    ruleBased: isSuccess && ruleBased ? sign : 0,
    latest: sign === 1 ? order : "",
    values: new Map(isSuccess && value !== null ? [[value, sign]] : []),
    categories: new Map(isSuccess && category !== undefined ? [[category, sign]] : []),
  };
};

const addCounts = <Key>(sums: Map<Key, number>, counts: ReadonlyMap<Key, number>): void => {
  for (const [key, count] of counts) {
    const sum = (sums.get(key) ?? 0) + count;
    if (sum === 0) sums.delete(key);
    else sums.set(key, sum);
  }
};

const negated = <Key>(counts: ReadonlyMap<Key, number>): ReadonlyMap<Key, number> =>
  new Map([...counts].map(([key, count]) => [key, -count]));

/** Adds up the score statistics of several parts. */
export const addStatistics = (parts: Iterable<ScoreStatistics>): ScoreStatistics => {
  let [success, failed, inapplicable, ruleBased, latest] = [0, 0, 0, 0, ""];
  const [values, categories] = [new Map<number, number>(), new Map<string, number>()];
  for (const part of parts) {
    success += part.success;
    failed += part.failed;
    inapplicable += part.inapplicable;
    ruleBased += part.ruleBased;
    if (part.latest > latest) latest = part.latest;
    addCounts(values, part.values);
    addCounts(categories, part.categories);
  }
  return { success, failed, inapplicable, ruleBased, latest, values, categories };
};

/** Subtracts statistics; counts may become negative, and `latest` stays that of `total`. */
export const subtractStatistics = (total: ScoreStatistics, subtrahend: ScoreStatistics): ScoreStatistics => ({
  ...addStatistics([
    total,
    {
      success: -subtrahend.success,
      failed: -subtrahend.failed,
      inapplicable: -subtrahend.inapplicable,
      ruleBased: -subtrahend.ruleBased,
      latest: "",
      values: negated(subtrahend.values),
      categories: negated(subtrahend.categories),
    },
  ]),
  latest: total.latest,
});

/** Values in ascending order with their counts. */
type ValueCounts = readonly (readonly [value: number, count: number])[];

/** Returns the values of statistics in ascending order with their counts. */
export const sortedValues = ({ values }: ScoreStatistics): ValueCounts =>
  [...values].filter(([, count]) => count > 0).toSorted(([a], [b]) => a - b);

/** Returns the categories of statistics with their counts, the most frequent first. */
export const sortedCategories = ({
  categories,
}: ScoreStatistics): readonly (readonly [value: string, count: number])[] =>
  [...categories].filter(([, count]) => count > 0).toSorted(([a, one], [b, two]) => two - one || byCodePoint(a, b));

/** Returns the total number of values. */
export const valueCount = (values: ValueCounts): number => values.reduce((sum, [, count]) => sum + count, 0);

/** Drops the digits beyond the precision of a double: the mean of 0.1 and 0.2 is 0.15. */
const dropUncertainDigits = (value: number): number => {
  const rounded = Number(value.toPrecision(15));
  return Number.isFinite(rounded) ? rounded : value;
};

/**
 * Computes the arithmetic mean; null without values. Values are weighted before they are added, so that sums stay
 * within the range of doubles.
 */
export const meanOf = (values: ValueCounts): number | null => {
  const total = valueCount(values);
  return total === 0
    ? null
    : dropUncertainDigits(values.reduce((mean, [value, count]) => mean + value * (count / total), 0));
};

const valueAt = (values: ValueCounts, rank: number): number => {
  let cumulative = 0;
  for (const [value, count] of values) {
    cumulative += count;
    if (rank < cumulative) return value;
  }
  throw new RangeError("There are fewer values than that.");
};

/** Computes a quantile with linear interpolation; null without values. @param share 0 to 1. */
export const quantileOf = (values: ValueCounts, share: number): number | null => {
  const total = valueCount(values);
  if (total === 0) return null;
  const rank = (total - 1) * share;
  const [low, high] = [valueAt(values, Math.floor(rank)), valueAt(values, Math.ceil(rank))];
  const part = rank - Math.floor(rank);
  return low === high ? low : dropUncertainDigits(low * (1 - part) + high * part);
};

/** Computes the median, interpolated for an even number of values; null without values. */
export const medianOf = (values: ValueCounts): number | null => quantileOf(values, 0.5);
