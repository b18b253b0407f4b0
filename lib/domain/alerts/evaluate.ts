import { sketchCount, sketchValue, type Sketch } from "../analytics/latency-sketch.ts";
import { compareMeans, compareRates, compareScoreMeans } from "../statistics/compare.ts";
import { rateInterval, scoreInterval, type Interval } from "../statistics/estimate.ts";
import {
  isTooSmall,
  sampleOfCounts,
  sampleOfSums,
  type IntervalLevel,
  type Sample,
} from "../statistics/observation.ts";
import { sightOfBaseline, sightOfThreshold, type Sight } from "./detectable.ts";
import type { AlertSettings } from "./fields.ts";
import { figures } from "./rule.ts";
import { observationCount, groupCount, totalOf, type WindowSums } from "./sums.ts";

/** One-sided levels of 99.5 % in one direction, and of 99.5 % in two directions together. */
const oneDirection: IntervalLevel = { upper: 0.995, z: 2.5758293035489004 };
const twoDirections: IntervalLevel = { upper: 0.9975, z: 2.807033768343811 };

/**
 * Decisions on a window: `cannot_tell` if there is nothing to compare it with, or too little data for significance or to see a
 * worsening of the size that the rule is about.
 */
export const alertVerdicts = ["ok", "alert", "no_data", "cannot_tell"] as const;

/** The decision on one window, with the numbers that decided. */
export interface Evaluation {
  readonly verdict: (typeof alertVerdicts)[number];
  /** The signal's value in the window; null without data. Latencies are in milliseconds. */
  readonly value: number | null;
  /** The threshold, or the value of the baseline window; null if that window has no data. */
  readonly reference: number | null;
  readonly count: number;
  readonly referenceCount: number | null;
  /**
   * Interval of the decisive figure at the level of the rule: of a mean or rate, its difference, the share of traces above a
   * latency, or the difference of such shares or of totals. Null if none decided.
   */
  readonly interval: Interval | null;
  /**
   * Smallest worsening that the rule sees in 80 % of windows with this much data, beyond the threshold or from the other
   * window; null without significance, and for latencies and totals. Absent if it was not computed.
   */
  readonly detectable?: number | null | undefined;
  /** Why the evaluation of a monitor has stopped, for the user; absent for rules. */
  readonly reason?: string | null | undefined;
}

/** Clusters of a window; the name of a side keeps the clusters of both sides apart: windows share few sessions. */
const windowSample = ({ groups }: WindowSums, side: string): Sample | null =>
  sampleOfSums([...groups].map(([group, sum]) => [`${side}${group}`, sum]));

/** Totals of all groups as a sample: its mean is the window's total divided by the number of groups. */
const totals = ({ groups }: WindowSums, side: string, factor: number): Sample | null =>
  sampleOfSums(
    Array.from({ length: groupCount }, (_, group) => [
      `${side}${group}`,
      { count: 1, sum: factor * (groups.get(group)?.sum ?? 0) },
    ]),
  );

const percentileOf = (latencies: Sketch, share: number): number | null => {
  const count = sketchCount(latencies);
  return count === 0 ? null : sketchValue(latencies, Math.ceil(share * count) - 1) / 1000;
};

/** Relative error of converting a latency to milliseconds and back. */
const roundingError = 1e-9;

/** Sample of whether traces were slower than a latency in milliseconds. */
const slowTraces = (latencies: Sketch, milliseconds: number): Sample | null => {
  const fast = latencies.filter(([bin]) => sketchValue([[bin, 1]], 0) <= milliseconds * 1000 * (1 + roundingError));
  return sampleOfCounts(sketchCount(latencies), sketchCount(latencies) - sketchCount(fast));
};

/** Rounds a value to 12 significant digits, as sums of decimal fractions are not exact: three times 0.1 is above 0.3. */
const rounded = (value: number): number => Number(value.toPrecision(12));

/** True if a percentile is above the rule's threshold: the number of slower traces is exact, unlike the percentile. */
const isSlower = (sums: WindowSums, share: number): boolean => {
  const count = observationCount(sums);
  return totalOf(sums) > count - Math.ceil(share * count);
};

const valueOf = ({ signal, compare_with: baseline, threshold }: AlertSettings, sums: WindowSums): number | null => {
  const figure = figures[signal];
  if (figure.kind === "percentile") {
    const latency = percentileOf(sums.latencies, figure.share);
    if (latency === null || baseline !== "threshold") return latency;
    return isSlower(sums, figure.share) ? Math.max(latency, threshold) : Math.min(latency, threshold);
  }
  if (figure.kind === "total") return rounded(totalOf(sums));
  const mean = windowSample(sums, "")?.mean ?? null;
  return mean === null || figure.kind === "rate" ? mean : rounded(mean);
};

/** Interval of a sample, or null if it is too small for one. */
const intervalOf = (sample: Sample | null, kind: "mean" | "rate"): Interval | null => {
  if (sample === null || isTooSmall(sample)) return null;
  return kind === "mean" ? scoreInterval(sample, oneDirection) : rateInterval(sample, oneDirection);
};

/** Part of an evaluation beside the window's own value. */
type Decision = Pick<Evaluation, "verdict" | "reference" | "interval" | "detectable">;

const decided = (
  isAlert: boolean,
  reference: number,
  interval: Interval | null,
  sight: Sight | null = null,
): Decision => ({
  verdict: isAlert ? "alert" : sight?.isBlind === true ? "cannot_tell" : "ok",
  reference,
  interval,
  detectable: sight?.detectable ?? null,
});

/** Compares a window with the rule's threshold. A total is no estimate: it is above or below. */
const beyondThreshold = (condition: AlertSettings, sums: WindowSums, value: number): Decision => {
  const { signal, significance, threshold } = condition;
  const figure = figures[signal];
  const isAbove = figure.kind === "percentile" ? isSlower(sums, figure.share) : value > threshold;
  const isWorse = figure.worse === "higher" ? isAbove : value < threshold;
  if (figure.kind === "total" || !significance) return decided(isWorse, threshold, null);
  const sample = windowSample(sums, "");
  const interval = intervalOf(sample, figure.kind === "mean" ? "mean" : "rate");
  if (sample === null || interval === null) return { verdict: "cannot_tell", reference: threshold, interval };
  const sight = figure.kind === "percentile" ? null : sightOfThreshold(figure.kind, sample, threshold, oneDirection);
  if (figure.kind === "mean") return decided(rounded(interval.upper) < threshold, threshold, interval, sight);
  // A percentile lies above the threshold if more traces do than its complement.
  return decided(
    interval.lower > (figure.kind === "percentile" ? 1 - figure.share : threshold),
    threshold,
    interval,
    sight,
  );
};

/** Interval of the difference between a window and its baseline, in the unit of the limit that it is compared with. */
const differenceOf = (
  { signal, threshold }: AlertSettings,
  sums: WindowSums,
  baseline: WindowSums,
  reference: number,
): { readonly interval: Interval | null; readonly lowest: number; readonly highest: number } => {
  const figure = figures[signal];
  if (figure.kind === "percentile") {
    const slow = reference * (1 + threshold);
    const [before, after] = [slowTraces(baseline.latencies, reference), slowTraces(sums.latencies, slow)];
    const { interval } = compareRates(before, after, { level: oneDirection });
    return { interval, lowest: -Infinity, highest: 0 };
  }
  if (figure.kind === "total") {
    const level = figure.worse === "volume" ? twoDirections : oneDirection;
    const against = (factor: number): Interval | null =>
      compareMeans(totals(baseline, "before", factor), totals(sums, "after", 1), { level }).interval;
    const [rise, fall] = [against(1 + threshold), against(Math.max(0, 1 - threshold))];
    if (rise === null || fall === null) return { interval: null, lowest: 0, highest: 0 };
    // Both ends of the difference beyond the tolerated change.
    const interval = { lower: groupCount * rise.lower, upper: groupCount * fall.upper };
    return { interval, lowest: figure.worse === "volume" ? 0 : -Infinity, highest: 0 };
  }
  const compare = figure.kind === "mean" ? compareScoreMeans : compareRates;
  const { interval } = compare(windowSample(baseline, "before"), windowSample(sums, "after"), {
    level: oneDirection,
  });
  return figure.worse === "lower"
    ? { interval, lowest: -threshold, highest: Infinity }
    : { interval, lowest: -Infinity, highest: threshold };
};

/** Compares a window with another one. */
const beyondBaseline = (condition: AlertSettings, sums: WindowSums, baseline: WindowSums, value: number): Decision => {
  const reference = valueOf(condition, baseline);
  if (reference === null || observationCount(baseline) < Math.max(1, condition.minimum_count))
    return { verdict: "cannot_tell", reference, interval: null };
  const figure = figures[condition.signal];
  if (!condition.significance) {
    const isRelative = figure.kind === "percentile" || figure.kind === "total";
    const tolerance = rounded(isRelative ? condition.threshold * reference : condition.threshold);
    const [isRise, isFall] = [rounded(value - reference) > tolerance, rounded(reference - value) > tolerance];
    const isWorse = figure.worse === "volume" ? isRise || isFall : figure.worse === "higher" ? isRise : isFall;
    return decided(isWorse, reference, null);
  }
  const { interval, lowest, highest } = differenceOf(condition, sums, baseline, reference);
  if (interval === null) return { verdict: "cannot_tell", reference, interval };
  const isWorse = interval.upper < lowest || interval.lower > highest;
  if (figure.kind === "percentile" || figure.kind === "total") return decided(isWorse, reference, interval);
  const samples = [windowSample(baseline, "before"), windowSample(sums, "after")] as const;
  return decided(isWorse, reference, interval, sightOfBaseline(figure, samples, condition.threshold, oneDirection));
};

/**
 * Decides on a window of a rule.
 *
 * @param baseline sums of the window that it is compared with; null if it is compared with a threshold.
 */
export const evaluate = (condition: AlertSettings, sums: WindowSums, baseline: WindowSums | null): Evaluation => {
  const [count, value] = [observationCount(sums), valueOf(condition, sums)];
  const figureSums = { value, count, referenceCount: baseline === null ? null : observationCount(baseline) };
  if (value === null || count < condition.minimum_count) {
    const reference = baseline === null ? condition.threshold : valueOf(condition, baseline);
    return { verdict: "no_data", reference, interval: null, ...figureSums };
  }
  const decision =
    baseline === null ? beyondThreshold(condition, sums, value) : beyondBaseline(condition, sums, baseline, value);
  return { ...decision, ...figureSums };
};
