import { medianSorted } from "simple-statistics";
import {
  effectiveCount,
  isTooSmall,
  level95,
  type IntervalLevel,
  type Observation,
  type Sample,
  sampleOf,
  upperLevel,
} from "./observation.ts";
import { quantileOfHeads, quantileOfT } from "./t-distribution.ts";

/** Both ends of a 95 % interval. */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/** How the interval of an estimate is computed. */
export const estimateMethods = ["cluster_robust_t", "wilson_effective_n", "order_statistics_effective_n"] as const;

/** A figure of a sample with its two-sided 95 % interval. */
export interface IntervalEstimate {
  /** Null without observations. */
  readonly value: number | null;
  /** Null for fewer than ten observations, or if all belong to one cluster. */
  readonly interval: Interval | null;
  readonly count: number;
  readonly clusters: number;
  readonly method: (typeof estimateMethods)[number];
  /** Why there is no interval. */
  readonly reason: "too_few" | null;
}

const estimate = (
  observations: readonly Observation[],
  method: IntervalEstimate["method"],
  valueOf: (sample: Sample) => number,
  intervalOf: (sample: Sample) => Interval,
): IntervalEstimate => {
  const count = observations.length;
  if (count === 0) return { value: null, interval: null, count, clusters: 0, method, reason: "too_few" };
  const sample = sampleOf(observations);
  const hasInterval = !isTooSmall(sample);
  return {
    value: valueOf(sample),
    interval: hasInterval ? intervalOf(sample) : null,
    count,
    clusters: sample.clusters,
    method,
    reason: hasInterval ? null : "too_few",
  };
};

/** The t interval of a mean by its cluster-robust standard error. */
export const meanInterval = ({ mean, variance, clusters }: Sample, { upper }: IntervalLevel = level95): Interval => {
  const halfWidth = quantileOfT(upper, clusters - 1) * Math.sqrt(variance);
  return { lower: mean - halfWidth, upper: mean + halfWidth };
};

/** Estimates a mean with the t interval of cluster-robust standard errors: Student's if no cluster has two observations. */
export const meanEstimate = (observations: readonly Observation[]): IntervalEstimate =>
  estimate(observations, "cluster_robust_t", ({ mean }) => mean, meanInterval);

/** Wilson's score interval of a rate by the effective number of observations. */
export const wilsonInterval = (sample: Sample, { z }: IntervalLevel = level95): Interval => {
  const { mean: rate } = sample;
  const count = effectiveCount(sample);
  const scale = 1 + z ** 2 / count;
  const center = (rate + z ** 2 / (2 * count)) / scale;
  const halfWidth = (z / scale) * Math.sqrt((rate * (1 - rate)) / count + z ** 2 / (4 * count ** 2));
  return { lower: rate === 0 ? 0 : center - halfWidth, upper: rate === 1 ? 1 : center + halfWidth };
};

/** Estimates the rate of observations of 0 or 1 with Wilson's interval by the effective number of observations. */
export const rateEstimate = (observations: readonly Observation[]): IntervalEstimate =>
  estimate(observations, "wilson_effective_n", ({ mean }) => mean, wilsonInterval);

/**
 * Estimates a median with an interval between two of the observations: by the binomial distribution of the number of
 * observations below the median, for the effective number of observations.
 */
export const medianEstimate = (observations: readonly Observation[]): IntervalEstimate => {
  const sorted = observations.map(({ value }) => value).toSorted((a, b) => a - b);
  return estimate(
    observations,
    "order_statistics_effective_n",
    () => medianSorted(sorted),
    () => {
      const median = medianSorted(sorted);
      const isBelow = observations.map(({ value, cluster }) => ({ value: Number(value <= median), cluster }));
      const count = Math.max(1, Math.round(effectiveCount(sampleOf(isBelow))));
      const below = Math.floor((quantileOfHeads(1 - upperLevel, count) / count) * sorted.length);
      const rank = Math.max(0, below - 1);
      return { lower: sorted[rank] ?? median, upper: sorted[sorted.length - 1 - rank] ?? median };
    },
  );
};
