import * as v from "valibot";
import { isUncertain, type FirstVerdict, type JudgeCascade } from "../../domain/runs/cascade.ts";
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

const summaryOf = (verdict: Verdict): JsonObject => ({
  value: verdict.kind === "scored" ? verdict.value : null,
  ...Object.fromEntries(
    keptFields.flatMap((name) => (verdict.metadata[name] === undefined ? [] : [[name, verdict.metadata[name]]])),
  ),
});

/**
 * Joins the verdicts of both judges: the second one counts, with the expense of both and the first one in `first_verdict`. A
 * deferred one keeps the expense alone, since the pair is judged again from the start.
 */
export const escalatedVerdict = (first: Verdict, second: Verdict): Verdict => ({
  ...second,
  metadata: {
    ...withExpenses(second.metadata, [first.metadata, second.metadata]),
    ...(second.kind !== "deferred" && {
      shared_call: first.metadata["shared_call"] ?? null,
      first_verdict: summaryOf(first),
    }),
  },
});

/** A verdict of the first judge that waits for the second one, which cannot be asked now: what it cost counts. */
export const waitingVerdict = ({ metadata }: Verdict): Extract<Verdict, { kind: "deferred" }> => ({
  kind: "deferred",
  code: "judge_unavailable",
  reason: "The second judge could not be asked now.",
  retryAfter: null,
  unfunded: true,
  metadata,
});

/** Fingerprint of a cascade for a metric. @param setups fingerprints of the metric's setup with both judges. */
export const cascadeVersion = ({ first, escalate }: JudgeCascade, setups: readonly [string, string]): string =>
  fingerprintOf([first, escalate, setups]);

/** Names both judges as the judge of a verdict. */
export const withCascade = <V extends Verdict>(verdict: V, { first, escalate }: JudgeCascade, version: string): V =>
  verdict.grounds === undefined
    ? verdict
    : { ...verdict, grounds: { ...verdict.grounds, judge: judgeIdentity(`${first}>${escalate.to}`, version) } };
