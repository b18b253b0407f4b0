import * as v from "valibot";
import type { JsonObject } from "../../domain/json.ts";
import { noUsage, type JudgeUsage } from "../../domain/runs/judge-usage.ts";

const expense = v.object({
  attempts: v.number(),
  tokens: v.object({ prompt: v.number(), completion: v.number(), cached: v.number() }),
  cost_usd: v.nullish(v.number(), null),
});

/** What a judgement used, as its metadata says; nothing when no judge was asked. */
export const usageOf = (metadata: JsonObject): JudgeUsage => {
  const parsed = v.safeParse(expense, metadata);
  if (!parsed.success || parsed.output.attempts === 0) return noUsage;
  const { attempts, tokens, cost_usd: cost } = parsed.output;
  return {
    calls: attempts,
    promptTokens: tokens.prompt,
    completionTokens: tokens.completion,
    cachedTokens: tokens.cached,
    cost,
  };
};
