import * as v from "valibot";
import type { ScoreStatistics } from "../../domain/scores/statistics.ts";

const item = v.object({
  sk: v.string(),
  n: v.string(),
  s: v.number(),
  f: v.number(),
  /** Absent for none. */
  na: v.optional(v.number(), 0),
  /** Absent for none, and in sums of earlier builds. */
  rb: v.optional(v.number(), 0),
  l: v.string(),
  x: v.pipe(
    v.string(),
    v.transform((text): unknown => JSON.parse(text)),
    v.array(v.tuple([v.number(), v.number()])),
  ),
  /** Categories with their counts; absent for none. */
  c: v.optional(
    v.pipe(
      v.string(),
      v.transform((text): unknown => JSON.parse(text)),
      v.array(v.tuple([v.string(), v.number()])),
    ),
    "[]",
  ),
});

/**
 * Packs statistics as attributes: name, successes, failures, inapplicable and rule-based scores, latest score, and the values and
 * categories with their counts as JSON.
 */
export const packStatistics = (
  name: string,
  { success, failed, inapplicable, ruleBased, latest, values, categories }: ScoreStatistics,
): Omit<v.InferInput<typeof item>, "sk"> => ({
  n: name,
  s: success,
  f: failed,
  ...(inapplicable !== 0 && { na: inapplicable }),
  ...(ruleBased !== 0 && { rb: ruleBased }),
  l: latest,
  x: JSON.stringify([...values]),
  ...(categories.size > 0 && { c: JSON.stringify([...categories]) }),
});

/** Unpacks statistics with their name and sort key. @throws ValiError when the item has no statistics. */
export const unpackStatistics = (value: unknown) => {
  const { sk, n, s, f, na, rb, l, x, c } = v.parse(item, value);
  const counts = { success: s, failed: f, inapplicable: na, ruleBased: rb };
  const statistics: ScoreStatistics = { ...counts, latest: l, values: new Map(x), categories: new Map(c) };
  return { sort: sk, name: n, statistics };
};

/** Bytes of a category, at most, in those of a number with its count. */
const categoryWeight = 16;

/** Returns the number of values of statistics that bounds an item's size: a category counts as several numbers. */
export const sizeOfStatistics = ({ values, categories }: ScoreStatistics): number =>
  values.size + categoryWeight * categories.size;

const expiryItem = v.object({ e: v.nullable(v.number()) });

/** Packs the earliest expiry of scores: epoch seconds, null for never. */
export const packExpiry = (expiry: number): number | null => (Number.isFinite(expiry) ? expiry : null);

/**
 * Earliest expiry (epoch seconds) of the scores in a sum, infinite when none expires. Sums still contain expired
 * scores.
 */
export const statisticsExpiry = (value: unknown): number => v.parse(expiryItem, value).e ?? Number.POSITIVE_INFINITY;
