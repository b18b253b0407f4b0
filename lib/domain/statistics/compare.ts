import { errorFunction } from "simple-statistics";
import { type Interval, wilsonInterval } from "./estimate.ts";
import {
  correlationOf,
  effectiveCount,
  isTooSmall,
  level95,
  type IntervalLevel,
  type Observation,
  type Sample,
  sampleOf,
} from "./observation.ts";
import { quantileOfT, twoSidedTailOfT } from "./t-distribution.ts";

export const comparisonMethods = ["cluster_robust_t", "newcombe_effective_n"] as const;

export const verdicts = ["worse", "not_worse", "cannot_tell"] as const;

/** Candidate beside baseline; all differences are candidate minus baseline. */
export interface Comparison {
  /** Null if a side has no observations. */
  readonly difference: number | null;
  /** 95 % interval of the difference; null if a side is too small for one. */
  readonly interval: Interval | null;
  readonly method: (typeof comparisonMethods)[number];
  /** Two-sided p value of "there is no difference". */
  readonly p_value: number | null;
  /**
   * Smallest drop that this much data could have shown: `worse` is the verdict on a smaller one in less than 20 % of
   * repetitions.
   */
  readonly detectable_difference: number | null;
  readonly verdict: (typeof verdicts)[number];
  /** Why the verdict is `cannot_tell`, beside an interval that includes the limit. */
  readonly reason: "too_few" | "too_many_missing" | null;
}

export interface ComparisonOptions {
  /** Largest drop that does not count as worse. */
  readonly maxDrop?: number | undefined;
  /** Share of failed, missing and duplicate items, from 0 to 1: the greater one of both sides. */
  readonly missingShare?: number | undefined;
  /** Level of the interval; 95 % if absent. */
  readonly level?: IntervalLevel | undefined;
}

const defaultMaxDrop = 0.05;

/** Largest share of failed, missing and duplicate items with which a verdict is given. */
const maxMissingShare = 0.1;

/** Share of repetitions in which a drop of the detectable difference stays undetected, and its normal quantile. */
const undetectedShare = 0.8;
const z80 = 0.8416212335729143;

/** Interval and p value of a difference. */
interface Inference {
  readonly interval: Interval;
  readonly p_value: number;
  /** Share of the interval's half width between the limit and the detectable difference. */
  readonly detectableShare: number;
}

/** Removes the rounding error of a difference, so that an end that lies on the limit is not beyond it. */
const withoutRoundingError = (value: number): number => Number(value.toFixed(12));

/** A side of a comparison: observations, or a sample of which only sums are known; null without observations. */
type Side = readonly Observation[] | Sample | null;

const isSample = (side: Side): side is Sample | null => side === null || "mean" in side;

/** True if all values of a side are equal, so that they say nothing about how much others vary; of sums, if no cluster's mean differs. */
const isUniform = (side: Side): boolean =>
  isSample(side) ? side?.variance === 0 : side.every(({ value }) => value === side[0]?.value);

const sampleOfSide = (side: Side): Sample | null => (isSample(side) ? side : side.length === 0 ? null : sampleOf(side));

const compare = (
  [baseline, candidate]: readonly [Side, Side],
  { maxDrop = defaultMaxDrop, missingShare = 0 }: ComparisonOptions,
  method: Comparison["method"],
  inferenceOf: (baseline: Sample, candidate: Sample, difference: number) => Inference,
): Comparison => {
  const none = { interval: null, method, p_value: null, detectable_difference: null, verdict: "cannot_tell" } as const;
  const [before, after] = [sampleOfSide(baseline), sampleOfSide(candidate)];
  if (before === null || after === null) return { difference: null, ...none, reason: "too_few" };
  const difference = withoutRoundingError(after.mean - before.mean);
  if (isTooSmall(before) || isTooSmall(after)) return { difference, ...none, reason: "too_few" };
  const { interval: exactInterval, p_value, detectableShare } = inferenceOf(before, after, difference);
  const interval = {
    lower: withoutRoundingError(exactInterval.lower),
    upper: withoutRoundingError(exactInterval.upper),
  };
  const doubt = doubtOf([baseline, candidate], missingShare);
  return {
    difference,
    interval,
    method,
    p_value,
    detectable_difference: maxDrop + detectableShare * (interval.upper - difference),
    verdict: doubt === null ? verdictOf(interval, maxDrop) : "cannot_tell",
    reason: doubt,
  };
};

/** Why an interval allows no verdict: t and Newcombe's intervals of a side without any spread are too narrow. */
const doubtOf = (sides: readonly Side[], missingShare: number): Comparison["reason"] => {
  if (sides.some(isUniform)) return "too_few";
  return missingShare > maxMissingShare ? "too_many_missing" : null;
};

const verdictOf = ({ lower, upper }: Interval, maxDrop: number): Comparison["verdict"] => {
  if (upper < -maxDrop) return "worse";
  return lower >= -maxDrop ? "not_worse" : "cannot_tell";
};

/**
 * Compares two means: a t interval by cluster-robust standard errors, with Welch's degrees of freedom from the numbers of clusters.
 * Clusters that both sides share make the difference more certain.
 */
export const compareMeans = (baseline: Side, candidate: Side, options: ComparisonOptions = {}): Comparison =>
  compare([baseline, candidate], options, "cluster_robust_t", (before, after, difference) => {
    const { upper } = options.level ?? level95;
    const correlation = correlationOf(before, after);
    const variance = before.variance + after.variance - 2 * correlation * Math.sqrt(before.variance * after.variance);
    const error = Math.sqrt(Math.max(0, variance));
    const df = degreesOfFreedom(before, after);
    const quantile = quantileOfT(upper, df);
    return {
      interval: { lower: difference - quantile * error, upper: difference + quantile * error },
      p_value: error === 0 ? Number(difference === 0) : twoSidedTailOfT(difference / error, df),
      detectableShare: 1 - quantileOfT(undetectedShare, df) / quantile,
    };
  });

/** Welch's degrees of freedom, but no more than the clusters of both sides together have. */
const degreesOfFreedom = (before: Sample, after: Sample): number => {
  const clusters = new Set([...before.deviations.keys(), ...after.deviations.keys()]).size;
  const sum = (before.variance + after.variance) ** 2;
  const parts = [before, after].map((side) => side.variance ** 2 / (side.clusters - 1));
  const welch = sum / parts.reduce((a, b) => a + b);
  return Math.min(clusters - 1, Number.isNaN(welch) ? Infinity : welch);
};

/**
 * Compares two rates of observations of 0 or 1: Newcombe's interval from both Wilson intervals by the effective numbers of
 * observations, with the correlation of clusters that both sides share; the p value of the pooled z test.
 */
export const compareRates = (baseline: Side, candidate: Side, options: ComparisonOptions = {}): Comparison =>
  compare([baseline, candidate], options, "newcombe_effective_n", (before, after, difference) => {
    const level = options.level ?? level95;
    const correlation = correlationOf(before, after);
    const [intervalBefore, intervalAfter] = [wilsonInterval(before, level), wilsonInterval(after, level)];
    const distance = (a: number, b: number): number => Math.sqrt(Math.max(0, a * a + b * b - 2 * correlation * a * b));
    const [countBefore, countAfter] = [effectiveCount(before), effectiveCount(after)];
    const pooled = (before.mean * countBefore + after.mean * countAfter) / (countBefore + countAfter);
    const error = Math.sqrt(pooled * (1 - pooled)) * distance(1 / Math.sqrt(countBefore), 1 / Math.sqrt(countAfter));
    return {
      interval: {
        lower: difference - distance(after.mean - intervalAfter.lower, intervalBefore.upper - before.mean),
        upper: difference + distance(intervalAfter.upper - after.mean, before.mean - intervalBefore.lower),
      },
      p_value: error === 0 ? Number(difference === 0) : 1 - errorFunction(Math.abs(difference) / error / Math.SQRT2),
      detectableShare: 1 - z80 / level.z,
    };
  });
