import { sum as sumOf } from "simple-statistics";
import { quantileOfT } from "./t-distribution.ts";

/** One value of a sample. */
export interface Observation {
  /** The value; 0 or 1 in a rate. */
  readonly value: number;
  /** Observations of one cluster may depend on each other: the session's id, or the trace's own id without a session. */
  readonly cluster: string;
}

/** Smallest number of observations that have an interval. */
const minObservations = 10;

/** Normal quantile of the two-sided 95 % level. */
const z95 = 1.959963984540054;

/** Level of an interval: the probability below its upper end, and that probability's normal quantile. */
export interface IntervalLevel {
  readonly upper: number;
  readonly z: number;
}

/** Two-sided level of 95 %, which intervals have unless another one is named. */
export const level95: IntervalLevel = { upper: 0.975, z: z95 };

export const upperLevel = level95.upper;

/** Mean of a sample with its sampling variance, robust against dependence within clusters. */
export interface Sample {
  readonly count: number;
  readonly mean: number;
  /** Cluster-robust variance of the mean, with the correction G / (G - 1) for G clusters; NaN for one cluster. */
  readonly variance: number;
  readonly clusters: number;
  /** Sum of each cluster's deviations from the mean, divided by the count. */
  readonly deviations: ReadonlyMap<string, number>;
  /**
   * Effective number of observations for Wilson's interval of a mean of values from 0 to 1; null if there are others. Of
   * sums, if the mean of a cluster is another value.
   */
  readonly boundedCount: number | null;
}

/** Sums up observations; null without any. */
export const sampleOf = (observations: readonly Observation[]): Sample | null => {
  const sums = new Map<string, { count: number; sum: number }>();
  for (const { value, cluster } of observations) {
    const sum = sums.get(cluster);
    if (sum === undefined) sums.set(cluster, { count: 1, sum: value });
    else {
      sum.count += 1;
      sum.sum += value;
    }
  }
  const sample = sampleOfSums(sums);
  const isBounded = observations.every(({ value }) => value >= 0 && value <= 1);
  return sample === null || isBounded ? sample : { ...sample, boundedCount: null };
};

/** Largest rounding error of a sum to which values were added and from which others were taken back. */
const roundingError = 1e-9;

/** Number and sum of the observations of one cluster. */
export interface ClusterSum {
  readonly count: number;
  readonly sum: number;
}

/** Sums up clusters of which only number and sum of the observations are known; null without observations. */
export const sampleOfSums = (sums: Iterable<readonly [cluster: string, sum: ClusterSum]>): Sample | null => {
  const clusters = [...sums].filter(([, { count }]) => count > 0);
  const count = clusters.reduce((total, [, each]) => total + each.count, 0);
  if (count === 0) return null;
  const total = sumOf(clusters.map(([, { sum }]) => sum));
  const mean = total / count;
  const deviations = new Map(clusters.map(([cluster, each]) => [cluster, (each.sum - each.count * mean) / count]));
  const terms = { clusters: clusters.length, deviations };
  const boundedCount = boundedCountOf(
    clusters.map(([, each]) => each),
    count,
    total,
  );
  return { count, mean, variance: covariance(terms, terms), ...terms, boundedCount };
};

/**
 * Number of observations of 0 or 1 whose mean would vary as much as that of these values from 0 to 1: n p (1 - p) / v for the
 * cluster-robust variance v. An observation of 0 and one of 1 more give equal values a variance.
 */
const boundedCountOf = (clusters: readonly ClusterSum[], count: number, total: number): number | null => {
  if (clusters.some(({ count: size, sum }) => sum < -roundingError || sum > size + roundingError)) return null;
  const mean = (total + 1) / (count + 2);
  const squares = clusters.reduce(
    (sum, each) => sum + (each.sum - each.count * mean) ** 2,
    mean ** 2 + (1 - mean) ** 2,
  );
  const variance = (squares / (count + 2)) * correction(clusters.length);
  return (count * mean * (1 - mean)) / (variance / correction(count));
};

/** Sample of independent observations of 0 or 1, of which only their number and the number of ones is known. */
export const sampleOfCounts = (count: number, ones: number): Sample | null => {
  if (count === 0) return null;
  const mean = ones / count;
  const variance = (mean * (1 - mean)) / (count - 1);
  return { count, mean, variance, clusters: count, deviations: new Map(), boundedCount: count };
};

const correction = (clusters: number): number => clusters / (clusters - 1);

type Terms = Pick<Sample, "clusters" | "deviations">;

/** Covariance of two means by the clusters that their samples share. */
const covariance = (a: Terms, b: Terms): number => {
  let sum = 0;
  for (const [cluster, deviation] of a.deviations) sum += deviation * (b.deviations.get(cluster) ?? 0);
  return sum * Math.sqrt(correction(a.clusters) * correction(b.clusters));
};

/** Correlation of two means by the clusters that their samples share; 0 if one of them does not vary. */
export const correlationOf = (a: Sample, b: Sample): number => {
  const scale = Math.sqrt(a.variance * b.variance);
  return scale === 0 ? 0 : covariance(a, b) / scale;
};

/** True if a sample is too small for an interval. */
export const isTooSmall = ({ count, clusters }: Pick<Sample, "count" | "clusters">): boolean =>
  count < minObservations || clusters < 2;

/**
 * Number of independent observations that would tell a rate as precisely as a sample does: the count divided by the
 * design effect and by the price of few degrees of freedom, at most the count (Korn and Graubard, 1998). It is the count
 * if each observation is a cluster of its own. A rate of 0 or 1 shows no design effect.
 */
export const effectiveCount = ({ count, mean, variance, clusters }: Sample): number => {
  if (clusters === count) return count;
  const independentVariance = (mean * (1 - mean)) / (count - 1);
  const designEffect = independentVariance > 0 ? variance / independentVariance : 1;
  const widening = quantileOfT(upperLevel, clusters - 1) / quantileOfT(upperLevel, count - 1);
  return Math.min(count, count / designEffect / widening ** 2);
};
