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
});

/**
 * Packs statistics as attributes: name, successes, failures, inapplicable and rule-based scores, latest score, and
 * the values with their counts as JSON.
 */
export const packStatistics = (
  name: string,
  { success, failed, inapplicable, ruleBased, latest, values }: ScoreStatistics,
): Omit<v.InferInput<typeof item>, "sk"> => ({
  n: name,
  s: success,
  f: failed,
  ...(inapplicable !== 0 && { na: inapplicable }),
  ...(ruleBased !== 0 && { rb: ruleBased }),
  l: latest,
  x: JSON.stringify([...values]),
});

/** Unpacks statistics with their name and sort key. @throws ValiError when the item has no statistics. */
export const unpackStatistics = (value: unknown) => {
  const { sk, n, s, f, na, rb, l, x } = v.parse(item, value);
  const statistics: ScoreStatistics = {
    success: s,
    failed: f,
    inapplicable: na,
    ruleBased: rb,
    latest: l,
    values: new Map(x),
  };
  return { sort: sk, name: n, statistics };
};

const expiryItem = v.object({ e: v.nullable(v.number()) });

/** Packs the earliest expiry of scores: epoch seconds, null for never. */
export const packExpiry = (expiry: number): number | null => (Number.isFinite(expiry) ? expiry : null);

/**
 * Earliest expiry (epoch seconds) of the scores in a sum, infinite when none expires. Sums still contain expired
 * scores.
 */
export const statisticsExpiry = (value: unknown): number => v.parse(expiryItem, value).e ?? Number.POSITIVE_INFINITY;
