import type { Judgement } from "../scores/automated-score.ts";

/** The judges of a run's traces: a decision model, and a chat model that is asked again about its uncertain verdicts. */
export interface JudgeCascade {
  /** Decision model, `<provider>/<model>`. */
  readonly first: string;
  readonly escalate: {
    /** Chat model, `<provider>/<model>`. */
    readonly to: string;
    readonly when: {
      /** A verdict with a lower confidence is uncertain. */
      readonly confidenceBelow: number;
      /** A verdict on a smaller share of the trace is uncertain; null: the share does not matter. */
      readonly coverageBelow: number | null;
    };
    /** Share of a slice's pairs that may be asked again, more than 0 and at most 1. */
    readonly atMost: number;
  };
}

/** A verdict of the first judge, as far as it decides whether its pair is asked again. */
export interface FirstVerdict {
  /** Probability of the verdict's level; null if the metric does not apply; 0 without a level. */
  readonly confidence: number | null;
  /** Shown share of the trace. */
  readonly coverage: number;
}

/** Result of the first judge for a pair that the second judge may be asked about. */
export interface HeldJudgement {
  readonly pair: number;
  readonly confidence: FirstVerdict["confidence"];
  readonly judgement: Judgement;
}

/** Why a pair that was to be asked again has its first verdict: no money for the second judge, or no verdict of it. */
export type Escalation = "unfunded" | "failed";

/** True if a verdict of the first judge is uncertain. */
export const isUncertain = (
  { confidence, coverage }: FirstVerdict,
  { when: { confidenceBelow, coverageBelow } }: JudgeCascade["escalate"],
): boolean =>
  (confidence !== null && confidence < confidenceBelow) || (coverageBelow !== null && coverage < coverageBelow);

/** Rounding error of a share of pairs, such as 0.29 of 100. */
const roundingError = 1e-9;

/**
 * Selects the pairs to ask again: the least confident first, the lower number first among equals.
 *
 * @param pairs uncertain pairs with the confidence of their verdicts.
 * @param judged pairs of the slice that have a verdict, these included.
 * @param escalated pairs among them that were asked again before.
 */
export const selectEscalated = (
  pairs: readonly { readonly pair: number; readonly confidence: number | null }[],
  { atMost }: Pick<JudgeCascade["escalate"], "atMost">,
  judged: number,
  escalated: number,
): ReadonlySet<number> => {
  const allowance = Math.max(0, Math.floor(atMost * judged + roundingError) - escalated);
  const byConfidence = pairs.toSorted((a, b) => (a.confidence ?? 1) - (b.confidence ?? 1) || a.pair - b.pair);
  return new Set(byConfidence.slice(0, allowance).map(({ pair }) => pair));
};
