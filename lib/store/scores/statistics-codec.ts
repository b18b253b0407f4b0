import * as v from "valibot";
import type { ScoreStatistics } from "../../domain/scores/statistics.ts";

const item = v.object({
  sk: v.string(),
  n: v.string(),
  s: v.number(),
  f: v.number(),
  /** Absent where a version before has written it. */
  na: v.optional(v.number(), 0),
  l: v.string(),
  x: v.pipe(
    v.string(),
    v.transform((text): unknown => JSON.parse(text)),
    v.array(v.tuple([v.number(), v.number()])),
  ),
});

/** Statistics as attributes of an item: name, successes, failures, what does not apply, latest, and the values with their counts as JSON. */
export const packStatistics = (name: string, { success, failed, inapplicable, latest, values }: ScoreStatistics) => ({
  n: name,
  s: success,
  f: failed,
  ...(inapplicable !== 0 && { na: inapplicable }),
  l: latest,
  x: JSON.stringify([...values]),
});

/** Reads statistics with their name and sort key. @throws when they are none. */
export const unpackStatistics = (value: unknown) => {
  const { sk, n, s, f, na, l, x } = v.parse(item, value);
  const statistics: ScoreStatistics = { success: s, failed: f, inapplicable: na, latest: l, values: new Map(x) };
  return { sort: sk, name: n, statistics };
};

const expiring = v.object({ e: v.optional(v.nullable(v.number())) });

/** When the first of some scores expires as an attribute: epoch seconds, null for never. */
export const packExpiry = (expiry: number): number | null => (Number.isFinite(expiry) ? expiry : null);

/**
 * When the first of the scores expires that went into the item of a sum, epoch seconds, infinite when none does. What has
 * expired stays in sums. Of an item that a previous version wrote it is not known: 0.
 */
export const statisticsExpiry = (value: unknown): number => {
  const { e = 0 } = v.parse(expiring, value);
  return e ?? Number.POSITIVE_INFINITY;
};
