import { cellOfVerdict, confusionOf, type Confusion } from "../../../lib/domain/labels/confusion.ts";
import type { Observation } from "../../../lib/domain/statistics/observation.ts";
import type { Random } from "../random.ts";
import { drawnScores, rateOf, type SessionDesign } from "./drawn-scores.ts";

/** How often a judge passes what passes, and fails what fails. */
export interface JudgeBias {
  readonly title: string;
  readonly sensitivity: number;
  readonly specificity: number;
}

/** Four judges whose sensitivity and specificity are 1.4 together. */
export const weakJudges: readonly JudgeBias[] = [
  { title: "lenient", sensitivity: 0.9, specificity: 0.5 },
  { title: "rather lenient", sensitivity: 0.8, specificity: 0.6 },
  { title: "even", sensitivity: 0.7, specificity: 0.7 },
  { title: "strict", sensitivity: 0.5, specificity: 0.9 },
];

interface VerdictDesign {
  /** Share of the traces that pass in truth. */
  readonly rate: number;
  /** Number of traces with a verdict. */
  readonly count: number;
  /** Number of traces with a label. */
  readonly labels: number;
  /** True if the labelled traces are some of those with a verdict, else they are others. */
  readonly isAmong: boolean;
  readonly sessions: SessionDesign;
}

/** Sessions of one trace. */
export const alone: SessionDesign = { title: "alone", sizes: [1, 1], correlation: 0 };

/** Draws the verdicts of a judge, and labels of some traces. */
export const labelledVerdicts = (
  random: Random,
  { sensitivity, specificity }: JudgeBias,
  { rate, count, labels, isAmong, sessions }: VerdictDesign,
): { readonly verdicts: readonly Observation[]; readonly confusion: Confusion } => {
  const judged = (design: SessionDesign, size: number) =>
    drawnScores(random, size, rateOf(rate), design).map(({ value, cluster }) => {
      const isPassing = value === 1;
      return { isPassing, verdict: random.chance(isPassing ? sensitivity : 1 - specificity), cluster };
    });
  const traces = judged(sessions, count);
  const labelled = isAmong ? traces.slice(0, labels) : judged(alone, labels);
  return {
    verdicts: traces.map(({ verdict, cluster }) => ({ value: Number(verdict), cluster })),
    confusion: confusionOf(labelled.map(({ isPassing, verdict }) => cellOfVerdict(isPassing, verdict))),
  };
};
