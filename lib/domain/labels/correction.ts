import { sampleOf } from "../statistics/observation.ts";
import { labelCounts } from "./confusion.ts";
import { correctedRate, withoutRate, type Calibration } from "./corrected-rate.ts";

/** A sound verdict of a judge that passes or fails. */
export interface JudgeVerdict {
  /** Id of the judge; empty for a program without one. */
  readonly judge: string;
  readonly passed: boolean;
  /** Verdicts of one cluster, such as a session, are not independent. */
  readonly cluster: string;
}

/** Labels of a set that calibrate one judge of a metric. */
export interface JudgeCalibration extends Calibration {
  /** Id of the judge; a new model or text of the metric is another judge. */
  readonly judge: string;
  /** Id of the label set. */
  readonly set: string;
}

/**
 * Corrects the pass rate of one judge's verdicts by the largest random set of labels about it; the errors of several judges are no errors
 * of one.
 */
export const correctionOf = (calibrations: readonly JudgeCalibration[], verdicts: readonly JudgeVerdict[]) => {
  const judges = new Set(verdicts.map(({ judge }) => judge));
  const sample = sampleOf(verdicts.map(({ passed, cluster }) => ({ value: Number(passed), cluster })));
  const [labels = null] = calibrations
    .filter(({ judge }) => judges.size === 0 || judges.has(judge))
    .toSorted(
      (a, b) => Number(b.isRandom) - Number(a.isRandom) || labelCounts(b.confusion).all - labelCounts(a.confusion).all,
    );
  const corrected =
    labels !== null && judges.size > 1 ? withoutRate("several_judges", 0) : correctedRate(sample, labels);
  return {
    judge_rate: sample?.mean ?? null,
    label_set_id: corrected.rate === null ? null : (labels?.set ?? null),
    ...corrected,
  };
};

/** A pass rate of a judge, as it is and corrected. */
export type Correction = ReturnType<typeof correctionOf>;
