import { rateInterval, type Interval } from "../statistics/estimate.ts";
import { level95, sampleOfCounts, type IntervalLevel } from "../statistics/observation.ts";
import { labelCounts, type Confusion } from "./confusion.ts";

/** A figure with the ends of its interval. */
export interface FigureInterval {
  /** Null if no label tells. */
  readonly value: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
}

const unknown: FigureInterval = { value: null, lower: null, upper: null };

/** Smallest number of labels with which kappa has an interval: its standard error is one of large samples. */
const minLabels = 10;

/**
 * Cohen's kappa with its 95 % interval by the large-sample standard error of Fleiss, Cohen and Everitt (Psychological Bulletin 72,
 * 1969, 323-327), cut to -1 and 1. The value is null if verdicts and labels are all alike; the ends are, if either are, and below ten labels.
 */
export const kappaOf = (confusion: Confusion): FigureInterval => {
  const { all, passing, failing } = labelCounts(confusion);
  const [tp, fp, fn, tn] = [confusion.tp / all, confusion.fp / all, confusion.fn / all, confusion.tn / all];
  const [label, verdict] = [
    { pass: passing / all, fail: failing / all },
    { pass: tp + fp, fail: fn + tn },
  ];
  const chance = label.pass * verdict.pass + label.fail * verdict.fail;
  if (all === 0 || chance === 1) return unknown;
  const value = (tp + tn - chance) / (1 - chance);
  const isUniform = [label, verdict].some(({ pass, fail }) => pass === 0 || fail === 0);
  if (all < minLabels || isUniform) return { ...unknown, value };
  const agreed =
    tp * (1 - (label.pass + verdict.pass) * (1 - value)) ** 2 +
    tn * (1 - (label.fail + verdict.fail) * (1 - value)) ** 2;
  const disagreed = (1 - value) ** 2 * (fp * (label.pass + verdict.fail) ** 2 + fn * (label.fail + verdict.pass) ** 2);
  const variance = (agreed + disagreed - (value - chance * (1 - value)) ** 2) / ((1 - chance) ** 2 * all);
  const halfWidth = level95.z * Math.sqrt(Math.max(0, variance));
  return { value, lower: Math.max(-1, value - halfWidth), upper: Math.min(1, value + halfWidth) };
};

const shareOf = (count: number, part: number, level: IntervalLevel): FigureInterval => {
  const sample = sampleOfCounts(count, part);
  return sample === null ? unknown : { value: sample.mean, ...rateInterval(sample, level) };
};

/** Share of the passing items that the judge passes, with Wilson's interval. */
export const sensitivityOf = ({ tp, fn }: Confusion, level = level95): FigureInterval => shareOf(tp + fn, tp, level);

/** Share of the failing items that the judge fails, with Wilson's interval. */
export const specificityOf = ({ fp, tn }: Confusion, level = level95): FigureInterval => shareOf(fp + tn, tn, level);

/**
 * Sensitivity + specificity - 1 (Youden's index: 0 is chance, 1 a judge without errors) with the interval of Newcombe for the difference
 * of two rates (Statistics in Medicine 17, 1998, 873-890, method 10); null without labels of both kinds.
 */
export const skillOf = (confusion: Confusion, level = level95): ({ readonly value: number } & Interval) | null => {
  const [a, b] = [sensitivityOf(confusion, level), specificityOf(confusion, level)];
  if (a.value === null || a.lower === null || a.upper === null) return null;
  if (b.value === null || b.lower === null || b.upper === null) return null;
  const value = a.value + b.value - 1;
  return {
    value,
    lower: value - Math.hypot(a.value - a.lower, b.value - b.lower),
    upper: value + Math.hypot(a.upper - a.value, b.upper - b.value),
  };
};
