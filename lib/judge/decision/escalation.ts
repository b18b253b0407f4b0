import * as v from "valibot";
import { isUncertain, type Escalation, type FirstVerdict, type JudgeCascade } from "../../domain/runs/cascade.ts";
import type { Judgement } from "../../domain/scores/automated-score.ts";
import type { JsonObject } from "../../domain/json.ts";
import { judgeIdentity } from "../../domain/scores/score.ts";
import { fingerprintOf } from "../metric/metric.ts";
import { withExpenses } from "../verdict/expense-fields.ts";
import type { Verdict } from "../verdict/verdict.ts";

const firstFields = v.object({
  confidence: v.optional(v.number()),
  coverage: v.optional(v.object({ ratio: v.number() }), { ratio: 1 }),
  shared_call: v.optional(v.unknown()),
});

/**
 * Reads from a decision model's verdict what decides whether its pair is asked again. A refused verdict, and one that too little
 * of the trace allows, has the confidence 0.
 *
 * @returns null for a verdict that is not asked again: a failure of the call, or a verdict that needed none.
 */
const firstVerdictOf = (verdict: Verdict): FirstVerdict | null => {
  const fields = v.safeParse(firstFields, verdict.metadata);
  if (!fields.success || verdict.kind === "deferred") return null;
  const { confidence = null, coverage, shared_call: call } = fields.output;
  if (verdict.kind === "scored") return call === undefined ? null : { confidence, coverage: coverage.ratio };
  if (verdict.code === "judge_refused") return { confidence: 0, coverage: coverage.ratio };
  // The other judge may be shown more.
  return verdict.code === "insufficient_evidence" ? { confidence: null, coverage: coverage.ratio } : null;
};

/** Confidence of a verdict whose pair is to be asked again, null if the metric does not apply; undefined if it stands. */
export const uncertaintyOf = (
  verdict: Verdict,
  escalate: JudgeCascade["escalate"],
): FirstVerdict["confidence"] | undefined => {
  const first = firstVerdictOf(verdict);
  return first !== null && isUncertain(first, escalate) ? first.confidence : undefined;
};

/** Fields of a first verdict that the score of the second one keeps. */
const keptFields = ["model", "level", "confidence", "expected_value", "code"] as const;

const summaryOf = ({ value, metadata }: Judgement): JsonObject => ({
  value,
  ...Object.fromEntries(keptFields.flatMap((name) => (metadata[name] === undefined ? [] : [[name, metadata[name]]]))),
});

type FinalVerdict = Exclude<Verdict, { kind: "deferred" }>;

/** Joins the results of both judges: the second one counts, with the expense of both and the first one in `first_verdict`. */
export const escalatedVerdict = (first: Judgement, second: FinalVerdict): FinalVerdict => ({
  ...second,
  metadata: {
    ...withExpenses(second.metadata, [first.metadata, second.metadata]),
    shared_call: first.metadata["shared_call"] ?? null,
    first_verdict: summaryOf(first),
  },
});

/**
 * Returns the result of the first judge for a pair that was to be asked again.
 *
 * @param escalation why it counts. @param second verdict without a result; undefined if the second judge was not asked.
 */
export const keptJudgement = (first: Judgement, escalation: Escalation, second?: Verdict): Judgement => ({
  ...first,
  metadata: {
    ...withExpenses(first.metadata, [first.metadata, second?.metadata ?? {}]),
    escalation,
    ...(escalation === "failed" &&
      second?.kind !== "scored" &&
      second !== undefined && { escalation_code: second.code }),
  },
});

/** Fingerprint of a cascade for a metric. @param setups fingerprints of the metric's setup with both judges. */
export const cascadeVersion = (
  { first, escalate: { to, when, at_most: atMost } }: JudgeCascade,
  setups: readonly [string, string],
): string => {
  // Names that identify the judges of stored scores.
  const condition = { confidenceBelow: when.confidence_below, coverageBelow: when.coverage_below };
  return fingerprintOf([first, { to, when: condition, atMost }, setups]);
};

/** Names both judges as the judge of a verdict. */
export const withCascade = <V extends Verdict>(verdict: V, { first, escalate }: JudgeCascade, version: string): V =>
  verdict.grounds === undefined
    ? verdict
    : { ...verdict, grounds: { ...verdict.grounds, judge: judgeIdentity(`${first}>${escalate.to}`, version) } };
