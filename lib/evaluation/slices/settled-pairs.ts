import * as v from "valibot";
import type { Grounds, Judgement } from "../../domain/scores/automated-score.ts";
import type { JsonObject } from "../../domain/json.ts";
import { noUsage, type JudgeUsage } from "../../domain/runs/judge-usage.ts";
import type { Verdict } from "../../judge/verdict/verdict.ts";
import type { SettledPair, WitnessedScore } from "../../store/runs/settled.ts";

const expense = v.object({
  attempts: v.number(),
  tokens: v.object({ prompt: v.number(), completion: v.number(), cached: v.number() }),
  cost_usd: v.nullish(v.number(), null),
  charged_usd: v.exactOptional(v.number()),
});

/** What a judgement used, as its metadata says; nothing when no judge was asked. */
export const usageOf = (metadata: JsonObject): JudgeUsage => {
  const parsed = v.safeParse(expense, metadata);
  if (!parsed.success || parsed.output.attempts === 0) return noUsage;
  const { attempts, tokens, cost_usd: cost, charged_usd: charged } = parsed.output;
  return {
    calls: attempts,
    promptTokens: tokens.prompt,
    completionTokens: tokens.completion,
    cachedTokens: tokens.cached,
    cost,
    ...(charged !== undefined && { charged }),
  };
};

/** A judgement of a verdict that is final, or that nobody waits for any longer. */
export const judgementOf = (verdict: Verdict): Judgement =>
  verdict.kind === "scored"
    ? { value: verdict.value, reason: verdict.reason, metadata: verdict.metadata, grounds: verdict.grounds }
    : failedJudgement(verdict.reason, { ...verdict.metadata, code: verdict.code }, verdict.grounds);

/** A judgement that failed. @param metadata with the `code` that says why. */
export const failedJudgement = (reason: string, metadata: JsonObject, grounds?: Grounds): Judgement => ({
  value: null,
  reason,
  metadata,
  grounds,
});

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
export const unscoredPair = (pair: number, example: string | null, usage: JudgeUsage = noUsage): SettledPair => ({
  kind: "pair",
  pair,
  failed: true,
  ...(example !== null && { scoreless: true }),
  missing: example === null,
  stored: null,
  example,
  usage,
});
