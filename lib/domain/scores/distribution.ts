import { sortedValues, type ScoreStatistics } from "./statistics.ts";

interface DistributionBucket {
  /** Number of the bucket, from 1. */
  readonly bucket: number;
  readonly bucket_min: number;
  readonly bucket_max: number;
  readonly count: number;
}

/**
 * Counts values in equal buckets over [0, 1], or from the smallest to the largest value if some lie outside. A bucket
 * includes its lower bound, the last one also its upper bound. Empty buckets are left out.
 */
export const distributionOf = (statistics: ScoreStatistics, buckets: number): DistributionBucket[] => {
  const values = sortedValues(statistics);
  const [min, max] = [values[0]?.[0] ?? 0, values.at(-1)?.[0] ?? 1];
  const isUnitRange = min >= 0 && max <= 1;
  const [low, high] = isUnitRange ? [0, 1] : [min, max];
  // Interpolation without the difference `high - low`, which could overflow.
  const bound = (index: number): number => low * (1 - index / buckets) + high * (index / buckets);
  const displayBound = (index: number): number => {
    if (index === buckets) return high;
    return isUnitRange ? Number(bound(index).toFixed(4)) : Number(bound(index).toPrecision(12));
  };

  // Zero for equal bounds, and for bounds that differ by the smallest number.
  const halfRange = high / 2 - low / 2;

  const indexOf = (value: number): number => {
    if (halfRange === 0) return buckets - 1;
    const index = Math.min(buckets - 1, Math.floor(((value / 2 - low / 2) / halfRange) * buckets));
    // The quotient may miss a bound by its last digit: 0.29 is the lower bound of bucket 30 of 100.
    if (index < buckets - 1 && value >= bound(index + 1)) return index + 1;
    return index > 0 && value < bound(index) ? index - 1 : index;
  };

  const counts = new Map<number, number>();
  for (const [value, count] of values) counts.set(indexOf(value), (counts.get(indexOf(value)) ?? 0) + count);
  return [...counts].map(([index, count]) => ({
    bucket: index + 1,
    bucket_min: displayBound(index),
    bucket_max: displayBound(index + 1),
    count,
  }));
};
