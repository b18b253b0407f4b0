import type { Judgement } from "../../domain/scores/automated-score.ts";
import type { JsonObject } from "../../domain/json.ts";
import { noUsage } from "../../domain/runs/judge-usage.ts";
import type { Verdict } from "../../judge/verdict/verdict.ts";
import type { SettledPair, WitnessedScore } from "../../store/runs/settled.ts";
import { usageOf } from "./usage-of.ts";

/** A judgement of a verdict that is final, or that nobody waits for any longer. */
export const judgementOf = (verdict: Verdict): Judgement =>
  verdict.kind === "scored"
    ? { value: verdict.value, reason: verdict.reason, metadata: verdict.metadata }
    : failedJudgement(verdict.reason, { ...verdict.metadata, code: verdict.code });

/** A judgement that failed. @param metadata with the `code` that says why. */
export const failedJudgement = (reason: string, metadata: JsonObject): Judgement => ({ value: null, reason, metadata });

/** A pair that was judged, for better or worse, as it is committed. */
export const judgedPair = (pair: number, judgement: Judgement, stored: WitnessedScore): SettledPair => {
  const failed = judgement.value === null;
  return {
    kind: "pair",
    pair,
    failed,
    missing: false,
    stored,
    example: failed ? judgement.reason : null,
    usage: usageOf(judgement.metadata),
  };
};

/** A pair that gets no score. @param example why, in words for a user; null: its target is missing. */
export const unscoredPair = (pair: number, example: string | null): SettledPair => ({
  kind: "pair",
  pair,
  failed: true,
  missing: example === null,
  stored: null,
  example,
  usage: noUsage,
});
