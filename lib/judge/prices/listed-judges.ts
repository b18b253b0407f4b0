import { isDecisionModel } from "../../domain/runs/model.ts";
import { serviceTiers, type ServiceTier } from "../../domain/runs/tier.ts";
import { flexShare } from "../../prices/judge-prices.ts";
import type { Price } from "../../prices/price.ts";
import { cachedCostOfEstimate, costOfEstimate, type JudgingEstimate } from "./estimate.ts";

/**
 * Chat models with structured output of the makers' current generations, of providers that need only an API key; read on 26 November
 * 2026. Decision models do not chat, and a generation whose models are being shut down (GPT-5, Gemini 2.5) is not current.
 */
export const listedJudges = [
  "openai/gpt-6-luna",
  "openai/gpt-5.6-luna",
  "openai/gpt-5.4-nano",
  "openai/gpt-5.4-mini",
  "openai/gpt-6.1-terra",
  "openai/gpt-6.1-sol",
  "anthropic/claude-haiku-5-5",
  "anthropic/claude-haiku-4-5",
  "anthropic/claude-sonnet-5-5",
  "gemini/gemini-3.1-flash-lite",
  "gemini/gemini-3.5-flash-lite",
  "gemini/gemini-3.8-flash",
] as const;

/** Judge of a deployment that names none: the cheapest listed judge; of two at one price the one with a flex tier. */
export const defaultJudge = "openai/gpt-6-luna" satisfies (typeof listedJudges)[number];

/** Cost of the same judgements by another judge or at another tier, US dollars. */
export interface JudgeAlternative {
  readonly model: string;
  readonly tier: ServiceTier;
  readonly costUsd: number;
  /** Cost if the provider's cache is used. */
  readonly cachedCostUsd: number;
}

/** Maximum number of alternatives in an estimate. */
const maxAlternatives = 3;

/** Returns the price at a tier as a share of the model's standard price. */
export const tierShare = (model: string, tier: ServiceTier): number => (tier === "flex" ? flexShare(model) : 1);

/**
 * Returns the cheapest listed judges and tiers that cost less than the estimate, at most three, cheapest first. The model itself is
 * compared at its other tier, also if it is not listed; models that must not be asked are left out.
 *
 * @param costUsd cost of the estimate, US dollars; null if it is unknown, which every listed judge is cheaper than.
 */
export const cheaperJudges = (
  model: string,
  estimate: JudgingEstimate,
  costUsd: number | null,
  {
    priceOf,
    mayAsk,
  }: { readonly priceOf: (model: string) => Price | null; readonly mayAsk: (model: string) => boolean },
): readonly JudgeAlternative[] => {
  // The shared calls of a decision model say nothing of what a chat model would take.
  if (estimate.calls === 0 || isDecisionModel(model)) return [];
  // The offline judge has a rule for few questions, so it is no alternative to a model.
  const judges = [...new Set([model, ...listedJudges])].filter(
    (judge) => !judge.startsWith("offline/") && mayAsk(judge),
  );
  const alternatives = judges.flatMap((judge) => {
    const price = priceOf(judge);
    const tiers = serviceTiers.filter((tier) => tier === "standard" || flexShare(judge) < 1);
    return tiers.flatMap((tier): JudgeAlternative[] => {
      const [cost, cached] = [costOfEstimate(estimate, price), cachedCostOfEstimate(estimate, price)];
      const share = tierShare(judge, tier);
      return cost === null || cached === null
        ? []
        : [{ model: judge, tier, costUsd: cost * share, cachedCostUsd: cached * share }];
    });
  });
  return alternatives
    .filter((alternative) => costUsd === null || alternative.costUsd < costUsd)
    .toSorted((a, b) => a.costUsd - b.costUsd)
    .slice(0, maxAlternatives);
};
