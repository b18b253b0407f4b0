import { scoreInterval, type Interval } from "../statistics/estimate.ts";
import { effectiveCount, isTooSmall, level95, type IntervalLevel, type Sample } from "../statistics/observation.ts";
import { skillOf } from "./agreement.ts";
import { labelCounts, type Confusion } from "./confusion.ts";

/** Why there is no corrected rate. */
export const correctionReasons = [
  "no_labels",
  "labels_not_random",
  "not_better_than_chance",
  "too_few",
  /** The verdicts are of several judges. */
  "several_judges",
  /** No rate explains the verdicts beside the labels: those are about other traces. */
  "labels_contradict",
] as const;

/** A pass rate from which the errors of the judge are removed, with its 95 % interval. */
export interface CorrectedRate {
  /** Null, as are the ends of the interval, if there is a reason for it. */
  readonly rate: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
  /** Number of labelled items with a verdict. */
  readonly n_labels: number;
  readonly reason: (typeof correctionReasons)[number] | null;
}

/** Labels that calibrate a judge. */
export interface Calibration {
  readonly confusion: Confusion;
  /** True if the labelled items were drawn at random. */
  readonly isRandom: boolean;
}

/** Fewest labels of each kind with which a rate is corrected. */
const minOfClass = 5;

/** One-sided 90 %: with 100 labels it tells a sensitivity + specificity of 1.4 from chance in 97 % of sets. */
const skillLevel: IntervalLevel = { upper: 0.9, z: 1.2815515655446004 };

/** A share with a number of successes and failures added, and its variance. */
const adjusted = (successes: number, count: number, added: number) => {
  const total = count + 2 * added;
  const share = (successes + added) / total;
  return { share, variance: (share * (1 - share)) / total };
};

/** Ends of `{x in [0, 1]: a x^2 + b x + c <= 0}`; null if it is empty. */
const endsWhereNegative = (a: number, b: number, c: number): Interval | null => {
  const root = Math.sqrt(Math.max(0, b * b - 4 * a * c));
  const roots = a === 0 ? [-c / b] : [(-b - root) / (2 * a), (-b + root) / (2 * a)];
  const ends = [...(c <= 0 ? [0] : []), ...roots.filter((x) => x >= 0 && x <= 1), ...(a + b + c <= 0 ? [1] : [])];
  return ends.length === 0 ? null : { lower: Math.min(...ends), upper: Math.max(...ends) };
};

/** A corrected rate that there is none of. */
export const withoutRate = (reason: (typeof correctionReasons)[number], n_labels: number): CorrectedRate => ({
  rate: null,
  lower: null,
  upper: null,
  n_labels,
  reason,
});

const clipped = (value: number): number => Math.min(1, Math.max(0, value));

/**
 * Removes the errors of a judge from the rate of its passing verdicts (Rogan and Gladen, American Journal of Epidemiology 107, 1978,
 * 71-76): `(p + specificity - 1) / (sensitivity + specificity - 1)`, cut to 0 and 1.
 *
 * The interval is that of "How to Correctly Report LLM-as-a-Judge Evaluations" (arXiv:2511.21140), with its added successes and failures
 * (half of z^2 each of the verdicts, one each of the labels); but the ends solve its inequality exactly, as a ratio's (Fieller, Journal of
 * the Royal Statistical Society B 16, 1954, 175-185), where the paper shifts the estimate by the first term of a series.
 *
 * @param verdicts verdicts of the judge, 0 or 1; verdicts of one session count as the effective number of independent ones.
 * @param labels null without labels.
 */
export const correctedRate = (verdicts: Sample | null, labels: Calibration | null): CorrectedRate => {
  if (labels === null) return withoutRate("no_labels", 0);
  const { tp, tn } = labels.confusion;
  const { all, passing, failing } = labelCounts(labels.confusion);
  if (!labels.isRandom) return withoutRate("labels_not_random", all);
  const [skill, floor] = [skillOf(labels.confusion), skillOf(labels.confusion, skillLevel)];
  if (skill === null || floor === null || Math.min(passing, failing) < minOfClass) return withoutRate("too_few", all);
  if (floor.lower <= 0) return withoutRate("not_better_than_chance", all);
  if (verdicts === null || isTooSmall(verdicts)) return withoutRate("too_few", all);
  const rate = clipped((verdicts.mean - 1 + tn / failing) / skill.value);
  const [count, z2] = [effectiveCount(verdicts), level95.z ** 2];
  const passed = adjusted(verdicts.mean * count, count, z2 / 2);
  const [sensitivity, specificity] = [adjusted(tp, passing, 1), adjusted(tn, failing, 1)];
  // A rate x is in the interval if (excess - x width)^2 <= z^2 (variance of the verdicts + (1 - x)^2 that of specificity + x^2 that of sensitivity).
  const [excess, width] = [passed.share + specificity.share - 1, sensitivity.share + specificity.share - 1];
  const ends = endsWhereNegative(
    width ** 2 - z2 * (sensitivity.variance + specificity.variance),
    2 * (z2 * specificity.variance - excess * width),
    excess ** 2 - z2 * (passed.variance + specificity.variance),
  );
  if (ends === null) return withoutRate("labels_contradict", all);
  // Of equal verdicts the interval may be narrower than that of the raw rate, which knows less of the truth.
  const raw = scoreInterval(verdicts);
  const [lower, upper] = [Math.min(rate, ends.lower), Math.max(rate, ends.upper)];
  return {
    rate,
    lower: verdicts.mean === 1 ? Math.min(lower, raw.lower) : lower,
    upper: verdicts.mean === 0 ? Math.max(upper, raw.upper) : upper,
    n_labels: all,
    reason: null,
  };
};
