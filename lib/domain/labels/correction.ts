import { sampleOf } from "../statistics/observation.ts";
import { correctedRate, type Calibration } from "./corrected-rate.ts";

/** A sound verdict of a judge that passes or fails. */
export interface JudgeVerdict {
  /** Id of the judge; empty for a program without one. */
  readonly judge: string;
  readonly passed: boolean;
  /** Verdicts of one cluster, such as a session, are not independent. */
  readonly cluster: string;
}

/** Labels of a metric that calibrate judges, and the ids of these judges. */
export interface JudgeCalibration extends Calibration {
  readonly judges: readonly string[];
}

/**
 * Corrects the pass rate of verdicts by the first of some labels that are random and about all judges of the verdicts; a new model or text
 * of the metric is another judge.
 *
 * @param calibrations newest first.
 */
export const correctionOf = (calibrations: readonly JudgeCalibration[], verdicts: readonly JudgeVerdict[]) => {
  const judges = new Set(verdicts.map(({ judge }) => judge));
  const fitting = calibrations.filter((each) => judges.isSubsetOf(new Set(each.judges)));
  const sample = sampleOf(verdicts.map(({ passed, cluster }) => ({ value: Number(passed), cluster })));
  const labels = fitting.find(({ isRandom }) => isRandom) ?? fitting[0] ?? null;
  return { judge_rate: sample?.mean ?? null, ...correctedRate(sample, labels) };
};

/** A pass rate of a judge, as it is and corrected. */
export type Correction = ReturnType<typeof correctionOf>;
