import { errorFunction } from "simple-statistics";
import { type Interval, rateInterval, scoreInterval } from "./estimate.ts";
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
  readonly reason: "too_few" | "too_many_missing" | "no_threshold" | null;
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

/** Number of values unlike the commonest one that a verdict needs on each side if sessions have several values. */
const minUnlike = 10;

/** Share of repetitions in which a drop of the detectable difference stays undetected, and its normal quantile. */
const undetectedShare = 0.8;
export const z80 = 0.8416212335729143;

/** Interval and p value of a difference. */
interface Inference {
  readonly interval: Interval;
  readonly p_value: number;
  /** Share of the interval's half width between the limit and the detectable difference. */
  readonly detectableShare: number;
}

/** A way to compute the interval of a difference. */
interface Method {
  readonly name: Comparison["method"];
  readonly infer: (before: Sample, after: Sample, difference: number, level: IntervalLevel) => Inference;
}

/** Removes the rounding error of a difference, so that an end that lies on the limit is not beyond it. */
const withoutRoundingError = (value: number): number => Number(value.toFixed(12));

/** A side of a comparison: observations, or a sample of which only sums are known; null without observations. */
type Side = readonly Observation[] | Sample | null;

const isSample = (side: Side): side is Sample | null => side === null || "mean" in side;

/**
 * True if the values of a side say too little about how much others vary: values of one session resemble each other, and equal
 * ones give a t interval no width. Sums do not say.
 */
const isTooUniform = (side: Side, method: Method): boolean => {
  if (isSample(side)) return false;
  const hasSessions = new Set(side.map(({ cluster }) => cluster)).size < side.length;
  const counts = Array.from(Map.groupBy(side, ({ value }) => value).values(), ({ length }) => length);
  return side.length - Math.max(...counts) < (hasSessions ? minUnlike : Number(method === welch));
};

const sampleOfSide = (side: Side): Sample | null => (isSample(side) ? side : sampleOf(side));

const compare = (
  sides: readonly [baseline: Side, candidate: Side],
  { maxDrop = defaultMaxDrop, missingShare = 0, level = level95 }: ComparisonOptions,
  methodOf: (before: Sample | null, after: Sample | null) => Method,
): Comparison => {
  const [before, after] = [sampleOfSide(sides[0]), sampleOfSide(sides[1])];
  const method = methodOf(before, after);
  const none = { interval: null, method: method.name, p_value: null, detectable_difference: null } as const;
  const tooFew = { ...none, verdict: "cannot_tell", reason: "too_few" } as const;
  if (before === null || after === null) return { difference: null, ...tooFew };
  const difference = withoutRoundingError(after.mean - before.mean);
  if (isTooSmall(before) || isTooSmall(after)) return { difference, ...tooFew };
  const { interval: exactInterval, p_value, detectableShare } = method.infer(before, after, difference, level);
  const interval = {
    lower: withoutRoundingError(exactInterval.lower),
    upper: withoutRoundingError(exactInterval.upper),
  };
  const isUniform = sides.some((side) => isTooUniform(side, method));
  const reason = isUniform ? "too_few" : missingShare > maxMissingShare ? "too_many_missing" : null;
  return {
    difference,
    interval,
    method: method.name,
    p_value,
    detectable_difference: maxDrop + detectableShare * (interval.upper - difference),
    verdict: reason === null ? verdictOf(interval, maxDrop) : "cannot_tell",
    reason,
  };
};

const verdictOf = ({ lower, upper }: Interval, maxDrop: number): Comparison["verdict"] => {
  if (upper < -maxDrop) return "worse";
  return lower >= -maxDrop ? "not_worse" : "cannot_tell";
};

/** Welch's degrees of freedom, but no more than the clusters of both sides together have. */
const degreesOfFreedom = (before: Sample, after: Sample): number => {
  const clusters = new Set([...before.deviations.keys(), ...after.deviations.keys()]).size;
  const sum = (before.variance + after.variance) ** 2;
  const parts = [before, after].map((side) => side.variance ** 2 / (side.clusters - 1));
  const welchDf = sum / parts.reduce((a, b) => a + b);
  return Math.min(clusters - 1, Number.isNaN(welchDf) ? Infinity : welchDf);
};

/** Length of the difference of two vectors of these lengths whose cosine is the correlation. */
const distance = (a: number, b: number, correlation: number): number =>
  Math.sqrt(Math.max(0, a * a + b * b - 2 * correlation * a * b));

/** A t interval by cluster-robust standard errors. */
const welch: Method = {
  name: "cluster_robust_t",
  infer: (before, after, difference, { upper }) => {
    const error = distance(Math.sqrt(before.variance), Math.sqrt(after.variance), correlationOf(before, after));
    const df = degreesOfFreedom(before, after);
    const quantile = quantileOfT(upper, df);
    return {
      interval: { lower: difference - quantile * error, upper: difference + quantile * error },
      p_value: error === 0 ? Number(difference === 0) : twoSidedTailOfT(difference / error, df),
      detectableShare: 1 - quantileOfT(undetectedShare, df) / quantile,
    };
  },
};

/**
 * Newcombe's interval from both sides' intervals of Wilson, with the correlation of clusters that both sides share, and the p
 * value of the pooled test.
 */
const newcombe = (
  intervalOf: (side: Sample, level: IntervalLevel) => Interval,
  countOf: (side: Sample) => number,
  tails: (df: number, level: IntervalLevel) => { readonly tailOf: (ratio: number) => number; readonly share: number },
): Method => ({
  name: "newcombe_effective_n",
  infer: (before, after, difference, level) => {
    const correlation = correlationOf(before, after);
    const [intervalBefore, intervalAfter] = [intervalOf(before, level), intervalOf(after, level)];
    const [countBefore, countAfter] = [countOf(before), countOf(after)];
    const pooled = (before.mean * countBefore + after.mean * countAfter) / (countBefore + countAfter);
    const error =
      Math.sqrt(pooled * (1 - pooled)) * distance(1 / Math.sqrt(countBefore), 1 / Math.sqrt(countAfter), correlation);
    const { tailOf, share } = tails(degreesOfFreedom(before, after), level);
    return {
      interval: {
        lower: difference - distance(after.mean - intervalAfter.lower, intervalBefore.upper - before.mean, correlation),
        upper: difference + distance(intervalAfter.upper - after.mean, before.mean - intervalBefore.lower, correlation),
      },
      p_value: error === 0 ? Number(difference === 0) : tailOf(Math.abs(difference) / error),
      detectableShare: 1 - share,
    };
  },
});

const newcombeOfRates = newcombe(rateInterval, effectiveCount, (_, { z }) => ({
  tailOf: (ratio) => 1 - errorFunction(ratio / Math.SQRT2),
  share: z80 / z,
}));

const newcombeOfScores = newcombe(
  scoreInterval,
  ({ boundedCount, count }) => boundedCount ?? count,
  (df, { upper }) => ({
    tailOf: (ratio) => twoSidedTailOfT(ratio, df),
    share: quantileOfT(undetectedShare, df) / quantileOfT(upper, df),
  }),
);

/**
 * Compares two means: a t interval by cluster-robust standard errors, with Welch's degrees of freedom from the numbers of clusters.
 * Clusters that both sides share make the difference more certain.
 */
export const compareMeans = (baseline: Side, candidate: Side, options: ComparisonOptions = {}): Comparison =>
  compare([baseline, candidate], options, () => welch);

/** Compares two rates of observations of 0 or 1 by Newcombe's interval. */
export const compareRates = (baseline: Side, candidate: Side, options: ComparisonOptions = {}): Comparison =>
  compare([baseline, candidate], options, () => newcombeOfRates);

/** Compares two means of scores: by Newcombe's interval if all are from 0 to 1, else as other means. */
export const compareScoreMeans = (baseline: Side, candidate: Side, options: ComparisonOptions = {}): Comparison =>
  compare([baseline, candidate], options, (before, after) =>
    before?.boundedCount === null || after?.boundedCount === null ? welch : newcombeOfScores,
  );
