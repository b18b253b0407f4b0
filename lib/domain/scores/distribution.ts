import { sortedValues, type ScoreStatistics } from "./statistics.ts";

interface DistributionBucket {
  /** From 1 on. */
  readonly bucket: number;
  readonly bucket_min: number;
  readonly bucket_max: number;
  readonly count: number;
}

/**
 * How many values lie in each of some equal buckets over [0, 1], or from the least to the greatest value when not all
 * lie there. A bucket begins with its lower bound; the last one has its upper bound too. Empty buckets are left out.
 */
export const distributionOf = (statistics: ScoreStatistics, buckets: number): DistributionBucket[] => {
  const values = sortedValues(statistics);
  const [least, most] = [values[0]?.[0] ?? 0, values.at(-1)?.[0] ?? 1];
  const unit = least >= 0 && most <= 1;
  const [low, high] = unit ? [0, 1] : [least, most];
  // Weighted like this no bound exceeds what a double holds.
  const bound = (index: number): number => low * (1 - index / buckets) + high * (index / buckets);
  const shown = (index: number): number => {
    if (index === buckets) return high;
    return unit ? Number(bound(index).toFixed(4)) : Number(bound(index).toPrecision(12));
  };

  const indexOf = (value: number): number => {
    if (high === low) return buckets - 1;
    const index = Math.min(buckets - 1, Math.floor(((value / 2 - low / 2) / (high / 2 - low / 2)) * buckets));
    // The quotient may miss a bound by its last digit: 0.29 is the lower bound of the 30th of 100.
    if (index < buckets - 1 && value >= bound(index + 1)) return index + 1;
    return index > 0 && value < bound(index) ? index - 1 : index;
  };

  const counts = new Map<number, number>();
  for (const [value, count] of values) counts.set(indexOf(value), (counts.get(indexOf(value)) ?? 0) + count);
  return [...counts].map(([index, count]) => ({
    bucket: index + 1,
    bucket_min: shown(index),
    bucket_max: shown(index + 1),
    count,
  }));
};
