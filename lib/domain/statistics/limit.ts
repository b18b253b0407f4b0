import { scoreInterval, type Interval } from "./estimate.ts";
import { isTooSmall, level95, sampleOf, type Sample } from "./observation.ts";
import { quantileOfT, twoSidedTailOfT } from "./t-distribution.ts";

/** Whether a mean lies at or above a limit: `pass` or `fail` if its whole interval does or does not. */
export const limitVerdicts = ["pass", "fail", "cannot_tell"] as const;
export type LimitVerdict = (typeof limitVerdicts)[number];

/** A mean beside its limit; more is better. */
export interface LimitTest {
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
  readonly values: readonly number[];
  readonly range: Interval | null;
}

const withoutRoundingError = (value: number): number => Number(value.toFixed(12));

/** The interval of a mean of independent values, by the method for scores if their range is known. */
const intervalOf = ({
  values,
  range,
}: LimitedValues): { readonly sample: Sample; readonly interval: Interval } | null => {
  const { lower, upper } = range ?? { lower: 0, upper: 1 };
  const width = upper - lower;
  const observations = values.map((value, at) => ({ value: (value - lower) / width, cluster: String(at) }));
  const sample = sampleOf(observations);
  if (sample === null || isTooSmall(sample)) return null;
  // Equal values of an unknown range say nothing of how much others vary.
  if (range === null && sample.variance === 0) return null;
  const interval = scoreInterval(range === null ? { ...sample, boundedCount: null } : sample);
  return {
    sample,
    interval: {
      lower: withoutRoundingError(lower + width * interval.lower),
      upper: withoutRoundingError(lower + width * interval.upper),
    },
  };
};

const undetectedShare = 0.8;

/** Tests whether the mean of independent values, one for each item, lies at or above a limit. */
export const testLimit = (limited: LimitedValues, limit: number): LimitTest => {
  const { values } = limited;
  const count = values.length;
  const mean = count === 0 ? null : withoutRoundingError(values.reduce((sum, value) => sum + value, 0) / count);
  const found = intervalOf(limited);
  if (found === null || mean === null)
    return { count, mean, interval: null, limit, failP: 1, verdict: "cannot_tell", detectable: null, more: null };
  const { interval } = found;
  const df = found.sample.clusters - 1;
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

/** One-sided level at which a whole gate fails without cause at most. */
const familyLevel = 1 - level95.upper;

/** Returns which of several tests fail together, by Holm's procedure: all of them at most in 2.5 % of cases without cause. */
export const failingTests = <Test extends Pick<LimitTest, "failP">>(tests: readonly Test[]): ReadonlySet<Test> => {
  const sorted = tests.toSorted((a, b) => a.failP - b.failP);
  const end = sorted.findIndex(({ failP }, at) => failP >= familyLevel / (sorted.length - at));
  return new Set(end === -1 ? sorted : sorted.slice(0, end));
};
