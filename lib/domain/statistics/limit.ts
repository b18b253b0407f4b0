import type { Comparison } from "./compare.ts";
import { scoreInterval, type Interval } from "./estimate.ts";
import { isTooSmall, level95, sampleOf, type Observation } from "./observation.ts";
import { quantileOfT, twoSidedTailOfT } from "./t-distribution.ts";

/** Whether a mean lies at or above a limit: `pass` or `fail` if its whole interval does or does not. */
export const limitVerdicts = ["pass", "fail", "cannot_tell"] as const;
export type LimitVerdict = (typeof limitVerdicts)[number];

/** A mean, or a difference of means, beside its limit; more is better. */
export interface LimitTest {
  /** Number of values, of the side that has fewer. */
  readonly count: number;
  /** Null without values. */
  readonly mean: number | null;
  /** 95 % interval of the mean; null for fewer than ten values. */
  readonly interval: Interval | null;
  readonly limit: number;
  /** One-sided p value of "the mean is at or above the limit"; 1 without an interval. */
  readonly failP: number;
  readonly verdict: LimitVerdict;
  /** Smallest distance below the limit that this many values could have shown; null without an interval. */
  readonly detectable: number | null;
  /** Further values of the same kind with which a verdict would be likely; null with a verdict, and if nobody can tell. */
  readonly more: number | null;
}

/** Values with the range in which all lie, if there is one, as scores from 0 to 1 and their differences from -1 to 1. */
export interface LimitedValues {
  readonly values: readonly Observation[];
  readonly range: Interval | null;
  /** Range that values of an unknown one are taken to have if they are all equal, by what they are made of. */
  readonly rangeIfEqual?: Interval;
}

/** A mean with its interval, which is null if there are too few values. */
interface Estimate {
  readonly count: number;
  readonly mean: number | null;
  readonly interval: Interval | null;
  /** Degrees of freedom. */
  readonly df: number;
}

const withoutRoundingError = (value: number): number => Number(value.toFixed(12));

/** Estimates a mean by the method for scores if the range of the values is known. */
const estimateOf = ({ values, range: knownRange, rangeIfEqual }: LimitedValues): Estimate => {
  const isEqual = values.every(({ value }) => value === values[0]?.value);
  const range =
    knownRange ?? (isEqual && rangeIfEqual && rangeIfEqual.lower < rangeIfEqual.upper ? rangeIfEqual : null);
  const { lower, upper } = range ?? { lower: 0, upper: 1 };
  const width = upper - lower;
  const sample = sampleOf(values.map(({ value, cluster }) => ({ value: (value - lower) / width, cluster })));
  if (sample === null) return { count: 0, mean: null, interval: null, df: 1 };
  const scaled = (value: number): number => withoutRoundingError(lower + width * value);
  const estimate = { count: sample.count, mean: scaled(sample.mean), interval: null, df: sample.clusters - 1 };
  // Equal values of an unknown range say nothing of how much others vary.
  if (isTooSmall(sample) || (range === null && sample.variance === 0)) return estimate;
  const interval = scoreInterval(range === null ? { ...sample, boundedCount: null } : sample);
  return { ...estimate, interval: { lower: scaled(interval.lower), upper: scaled(interval.upper) } };
};

const undetectedShare = 0.8;

const testOf = ({ count, mean, interval, df }: Estimate, limit: number): LimitTest => {
  if (interval === null || mean === null)
    return { count, mean, interval: null, limit, failP: 1, verdict: "cannot_tell", detectable: null, more: null };
  const quantile = quantileOfT(level95.upper, df);
  const [above, below] = [interval.upper - mean, mean - interval.lower];
  const ratio = above === 0 ? Infinity * Math.sign(limit - mean) : ((limit - mean) * quantile) / above;
  const tail = Number.isFinite(ratio) ? twoSidedTailOfT(ratio, df) / 2 : 0;
  const verdict = interval.upper < limit ? "fail" : interval.lower >= limit ? "pass" : "cannot_tell";
  const [distance, half] = [Math.abs(mean - limit), mean < limit ? above : below];
  return {
    count,
    mean,
    interval,
    limit,
    failP: ratio > 0 ? tail : 1 - tail,
    verdict,
    detectable: (1 - quantileOfT(undetectedShare, df) / quantile) * above,
    more: verdict === "cannot_tell" && distance > 0 ? Math.ceil(count * ((half / distance) ** 2 - 1)) : null,
  };
};

/** Tests whether the mean of values lies at or above a limit; values of one cluster may depend on each other. */
export const testLimit = (limited: LimitedValues, limit: number): LimitTest => testOf(estimateOf(limited), limit);

/** Tests whether the difference of two sides without pairs, as compared, lies at or above a limit. @param count values of the smaller side. */
export const testComparison = (
  { difference: mean, interval, reason }: Pick<Comparison, "difference" | "interval" | "reason">,
  limit: number,
  count: number,
): LimitTest =>
  testOf({ count, mean, interval: reason === "too_few" ? null : interval, df: Math.max(1, 2 * count - 2) }, limit);

/** One-sided level at which a whole gate fails without cause at most. */
const familyLevel = 1 - level95.upper;

/** Returns which of several tests fail together, by Holm's procedure: all of them at most in 2.5 % of cases without cause. */
export const failingTests = <Test extends Pick<LimitTest, "failP">>(tests: readonly Test[]): ReadonlySet<Test> => {
  const sorted = tests.toSorted((a, b) => a.failP - b.failP);
  const end = sorted.findIndex(({ failP }, at) => failP >= familyLevel / (sorted.length - at));
  return new Set(end === -1 ? sorted : sorted.slice(0, end));
};
