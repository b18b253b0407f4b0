import { compareRates, compareScoreMeans, z80 } from "../statistics/compare.ts";
import { effectiveCount, type IntervalLevel, type Sample } from "../statistics/observation.ts";
import { scoreInterval } from "../statistics/estimate.ts";
import type { Figure } from "./rule.ts";

/** What a rule can see with the data of a window. */
export interface Sight {
  /** Smallest worsening that 80 % of such windows show: beyond a threshold, or from another window. */
  readonly detectable: number;
  /** True if a worsening of the size that the rule is about may stay unseen. */
  readonly isBlind: boolean;
}

/** Distance from a tolerated rate to the lowest one that is significantly above it in 80 % of samples. */
const detectableRise = (limit: number, count: number, { z }: IntervalLevel): number => {
  const error = (rate: number): number => Math.sqrt((rate * (1 - rate)) / count);
  let rate = limit;
  for (let step = 0; step < 10; step += 1) rate = Math.min(1, limit + z * error(limit) + z80 * error(rate));
  return rate - limit;
};

/** Returns what a comparison with a threshold can see. It is blind if not even the worst possible value would be an alert. */
export const sightOfThreshold = (
  kind: "mean" | "rate",
  sample: Sample,
  threshold: number,
  level: IntervalLevel,
): Sight => {
  if (kind === "rate") {
    const limit = Math.min(1, Math.max(0, threshold));
    const detectable = detectableRise(limit, effectiveCount(sample), level);
    return { detectable, isBlind: limit + detectable >= 1 };
  }
  const detectable = (scoreInterval(sample, level).upper - sample.mean) * (1 + z80 / level.z);
  return { detectable, isBlind: sample.boundedCount !== null && threshold - detectable <= 0 };
};

/**
 * Returns what a comparison with another window can see; null if a side is too small. It is blind if it cannot tell a worsening
 * as large as the tolerated one from none, which is as much data as twice the tolerated one needs to be an alert.
 */
export const sightOfBaseline = (
  { kind, worse }: Extract<Figure, { readonly kind: "mean" | "rate" }>,
  [before, after]: readonly [before: Sample | null, after: Sample | null],
  tolerance: number,
  level: IntervalLevel,
): Sight | null => {
  const compare = kind === "mean" ? compareScoreMeans : compareRates;
  // The comparison looks for a drop.
  const [baseline, candidate] = worse === "lower" ? [before, after] : [after, before];
  const { difference, interval } = compare(baseline, candidate, { level });
  if (difference === null || interval === null) return null;
  const detectable = tolerance + (interval.upper - difference) * (1 + z80 / level.z);
  return { detectable, isBlind: tolerance > 0 && detectable > 2 * tolerance };
};
