import { mean as meanOf } from "simple-statistics";
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
}

/** Sums up observations, at least one. */
export const sampleOf = (observations: readonly Observation[]): Sample => {
  const count = observations.length;
  const mean = meanOf(observations.map(({ value }) => value));
  const deviations = new Map<string, number>();
  for (const { value, cluster } of observations)
    deviations.set(cluster, (deviations.get(cluster) ?? 0) + (value - mean) / count);
  return sampleOfDeviations(count, mean, deviations);
};

const sampleOfDeviations = (count: number, mean: number, deviations: ReadonlyMap<string, number>): Sample => {
  const clusters = deviations.size;
  const terms = { clusters, deviations };
  return { count, mean, variance: covariance(terms, terms), clusters, deviations };
};

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
  const mean = clusters.reduce((total, [, { sum }]) => total + sum, 0) / count;
  const deviations = clusters.map(([cluster, each]) => [cluster, (each.sum - each.count * mean) / count] as const);
  return sampleOfDeviations(count, mean, new Map(deviations));
};

/** Sample of independent observations of 0 or 1, of which only their number and the number of ones is known. */
export const sampleOfCounts = (count: number, ones: number): Sample | null => {
  if (count === 0) return null;
  const mean = ones / count;
  return { count, mean, variance: (mean * (1 - mean)) / (count - 1), clusters: count, deviations: new Map() };
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
