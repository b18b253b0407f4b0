import type { Fields, ValuesOf } from "../fields.ts";
import type { Judgement } from "../scores/automated-score.ts";
import { fullModelName } from "./model.ts";

const share = { kind: "number", min: 0, max: 1 } as const;

/** When a verdict of the first judge is uncertain. */
export const escalationFields = {
  confidence_below: { ...share, default: 0.8, stored: "confidenceBelow" },
  coverage_below: { ...share, nullable: true, stored: "coverageBelow" },
} as const satisfies Fields;

/** The second judge, a chat model, and the largest share of a slice's pairs that it is asked about. */
export const secondJudgeFields = {
  to: { kind: "text", max: 255 },
  when: { kind: "group", fields: escalationFields, default: {} },
  at_most: { kind: "number", min: 0.001, max: 1, default: 1, stored: "atMost" },
} as const satisfies Fields;

/** The judges of a run's traces: a decision model, and a chat model that is asked again about its uncertain verdicts. */
export const cascadeFields = {
  first: { kind: "text", max: 255 },
  escalate: { kind: "group", fields: secondJudgeFields },
} as const satisfies Fields;

export type JudgeCascade = ValuesOf<typeof cascadeFields>;

/** Returns two judges with the full ids of their models. */
export const withFullNames = ({ first, escalate }: JudgeCascade): JudgeCascade => ({
  first: fullModelName(first),
  escalate: { ...escalate, to: fullModelName(escalate.to) },
});

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
  { when: { confidence_below: confidenceBelow, coverage_below: coverageBelow } }: JudgeCascade["escalate"],
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
  { at_most: atMost }: Pick<JudgeCascade["escalate"], "at_most">,
  judged: number,
  escalated: number,
): ReadonlySet<number> => {
  const allowance = Math.max(0, Math.floor(atMost * judged + roundingError) - escalated);
  const byConfidence = pairs.toSorted((a, b) => (a.confidence ?? 1) - (b.confidence ?? 1) || a.pair - b.pair);
  return new Set(byConfidence.slice(0, allowance).map(({ pair }) => pair));
};
