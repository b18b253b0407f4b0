import * as v from "valibot";
import type { JudgementBasis, Judgement } from "../../domain/scores/automated-score.ts";
import type { JsonObject } from "../../domain/json.ts";
import { noUsage, type JudgeUsage } from "../../domain/runs/run.ts";
import type { Verdict } from "../../judge/verdict/verdict.ts";
import type { SettledPair, CheckedScore } from "../../store/runs/settled-pairs.ts";

const judgeUsageMetadata = v.object({
  attempts: v.number(),
  tokens: v.object({ prompt: v.number(), completion: v.number(), cached: v.number() }),
  cost_usd: v.nullish(v.number(), null),
  charged_usd: v.exactOptional(v.number()),
});

/** Returns the model in the metadata of a judgement; empty without one. */
export const modelIn = ({ model }: JsonObject): string => (typeof model === "string" ? model : "");

/** Reads the judge usage from the metadata of a judgement; zero if no judge was called. */
export const usageOf = (metadata: JsonObject): JudgeUsage => {
  const parsed = v.safeParse(judgeUsageMetadata, metadata);
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

/** Converts a verdict to a judgement. A deferred verdict becomes a failed judgement. */
export const judgementOf = (verdict: Verdict): Judgement =>
  verdict.kind === "scored"
    ? { value: verdict.value, reason: verdict.reason, metadata: verdict.metadata, grounds: verdict.grounds }
    : failedJudgement(verdict.reason, { ...verdict.metadata, code: verdict.code }, verdict.grounds);

/** Creates a failed judgement. @param metadata score metadata, with the failure `code`. */
export const failedJudgement = (reason: string, metadata: JsonObject, grounds?: JudgementBasis): Judgement => ({
  value: null,
  reason,
  metadata,
  grounds,
});

/**
 * Creates the outcome of a pair from a judgement, successful or failed, for the next commit.
 *
 * @param usage usage that the slice has not recorded; by default that in the judgement's metadata.
 */
export const judgedPair = (
  pair: number,
  judgement: Judgement,
  checkedScore: CheckedScore,
  usage: JudgeUsage = usageOf(judgement.metadata),
): SettledPair => {
  const failed = judgement.value === null;
  return {
    kind: "pair",
    pair,
    failed,
    missing: false,
    checkedScore,
    example: failed ? judgement.reason : null,
    usage,
  };
};

/** Creates the outcome of a pair without a score. @param example failure reason for users; null if the target does not exist. */
export const unscoredPair = (pair: number, example: string | null, usage: JudgeUsage = noUsage): SettledPair => ({
  kind: "pair",
  pair,
  failed: true,
  ...(example !== null && { scoreless: true }),
  missing: example === null,
  checkedScore: null,
  example,
  usage,
});
