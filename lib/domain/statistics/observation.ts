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
export const z95 = 1.959963984540054;

/** Two-sided level of all intervals, as the probability below the upper end. */
export const upperLevel = 0.975;

/** Mean of a sample with its sampling variance, robust against dependence within clusters. */
export interface Sample {
  readonly count: number;
  readonly mean: number;
  /** Cluster-robust variance of the mean, with the correction G / (G - 1) for G clusters; NaN for one cluster. */
  readonly variance: number;
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
  return { count, mean, variance: covariance(deviations, deviations), deviations };
};

const correction = (clusters: number): number => clusters / (clusters - 1);

/** Covariance of two means by the clusters that their samples share. */
const covariance = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number => {
  let sum = 0;
  for (const [cluster, deviation] of a) sum += deviation * (b.get(cluster) ?? 0);
  return sum * Math.sqrt(correction(a.size) * correction(b.size));
};

/** Correlation of two means by the clusters that their samples share; 0 if one of them does not vary. */
export const correlationOf = (a: Sample, b: Sample): number => {
  const scale = Math.sqrt(a.variance * b.variance);
  return scale === 0 ? 0 : covariance(a.deviations, b.deviations) / scale;
};

/** True if a sample is too small for an interval. */
export const isTooSmall = (observations: readonly Observation[]): boolean =>
  observations.length < minObservations || observations.every(({ cluster }) => cluster === observations[0]?.cluster);

/**
 * Number of independent observations that would tell a rate as precisely as a sample does: the count divided by the
 * design effect and by the price of few degrees of freedom, at most the count (Korn and Graubard, 1998). It is the count
 * if each observation is a cluster of its own. A rate of 0 or 1 shows no design effect.
 */
export const effectiveCount = ({ count, mean, variance, deviations }: Sample): number => {
  const clusters = deviations.size;
  if (clusters === count) return count;
  const independentVariance = (mean * (1 - mean)) / (count - 1);
  const designEffect = independentVariance > 0 ? variance / independentVariance : 1;
  const widening = quantileOfT(upperLevel, clusters - 1) / quantileOfT(upperLevel, count - 1);
  return Math.min(count, count / designEffect / widening ** 2);
};
