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
  /** Why there is no interval. `no_threshold`: of scores that neither pass nor fail there is no rate of passes. */
  readonly reason: "too_few" | "no_threshold" | null;
}

const estimate = (
  observations: readonly Observation[],
  methodOf: (sample: Sample | null) => IntervalEstimate["method"],
  valueOf: (sample: Sample) => number,
  intervalOf: (sample: Sample) => Interval,
): IntervalEstimate => {
  const sample = sampleOf(observations);
  const method = methodOf(sample);
  if (sample === null) return { value: null, interval: null, count: 0, clusters: 0, method, reason: "too_few" };
  const hasInterval = !isTooSmall(sample);
  return {
    value: valueOf(sample),
    interval: hasInterval ? intervalOf(sample) : null,
    count: sample.count,
    clusters: sample.clusters,
    method,
    reason: hasInterval ? null : "too_few",
  };
};

const meanOf = ({ mean }: Sample): number => mean;

/** The t interval of a mean by its cluster-robust standard error. */
const meanInterval = ({ mean, variance, clusters }: Sample, { upper }: IntervalLevel = level95): Interval => {
  const halfWidth = quantileOfT(upper, clusters - 1) * Math.sqrt(variance);
  return { lower: mean - halfWidth, upper: mean + halfWidth };
};

/** Estimates a mean with the t interval of cluster-robust standard errors: Student's if no cluster has two observations. */
export const meanEstimate = (observations: readonly Observation[]): IntervalEstimate =>
  estimate(observations, () => "cluster_robust_t", meanOf, meanInterval);

/** Wilson's score interval of a rate, or of a mean from 0 to 1, by an effective number of observations. */
const wilson = (rate: number, count: number, quantile: number): Interval => {
  const scale = 1 + quantile ** 2 / count;
  const center = (rate + quantile ** 2 / (2 * count)) / scale;
  const halfWidth = (quantile / scale) * Math.sqrt((rate * (1 - rate)) / count + quantile ** 2 / (4 * count ** 2));
  return { lower: rate === 0 ? 0 : center - halfWidth, upper: rate === 1 ? 1 : center + halfWidth };
};

/** The interval of a mean of scores: Wilson's with quantiles of t if all are from 0 to 1, else the t interval. */
export const scoreInterval = (sample: Sample, level: IntervalLevel = level95): Interval =>
  sample.boundedCount === null
    ? meanInterval(sample, level)
    : wilson(sample.mean, sample.boundedCount, quantileOfT(level.upper, sample.clusters - 1));

/** Estimates a mean of scores. Equal scores have an interval too if they are from 0 to 1. */
export const scoreEstimate = (observations: readonly Observation[]): IntervalEstimate =>
  estimate(
    observations,
    (sample) => (sample?.boundedCount === null ? "cluster_robust_t" : "wilson_effective_n"),
    meanOf,
    scoreInterval,
  );

/** The interval of a rate of observations of 0 or 1. */
export const rateInterval = (sample: Sample, { z }: IntervalLevel = level95): Interval =>
  wilson(sample.mean, effectiveCount(sample), z);

/** Estimates the rate of observations of 0 or 1 with Wilson's interval by the effective number of observations. */
export const rateEstimate = (observations: readonly Observation[]): IntervalEstimate =>
  estimate(observations, () => "wilson_effective_n", meanOf, rateInterval);

/**
 * Estimates a median with an interval between two of the observations: by the binomial distribution of the number of
 * observations below the median, for the effective number of observations.
 */
export const medianEstimate = (observations: readonly Observation[]): IntervalEstimate => {
  const sorted = observations.map(({ value }) => value).toSorted((a, b) => a - b);
  return estimate(
    observations,
    () => "order_statistics_effective_n",
    () => medianSorted(sorted),
    () => {
      const median = medianSorted(sorted);
      const isBelow = observations.map(({ value, cluster }) => ({ value: Number(value <= median), cluster }));
      const sample = sampleOf(isBelow);
      const count = sample === null ? 1 : Math.max(1, Math.round(effectiveCount(sample)));
      const below = Math.floor((quantileOfHeads(1 - upperLevel, count) / count) * sorted.length);
      const rank = Math.max(0, below - 1);
      return { lower: sorted[rank] ?? median, upper: sorted[sorted.length - 1 - rank] ?? median };
    },
  );
};
