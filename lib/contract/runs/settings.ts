import { runFields } from "../../domain/runs/fields.ts";
import { amountBetween } from "../list-query.ts";
import { resourceSchemas } from "../schema/resource.ts";
import { judgeModel, signalWeights } from "./fields.ts";
import { judgeCascade } from "./judge-cascade.ts";

/** Descriptions of the settings that runs and monitors have in common. */
export const runDescriptions = {
  sampling_rate: "Fraction of the matching targets to evaluate, chosen at random.",
  model: judgeModel,
  judge: judgeCascade,
  signal_weights: signalWeights,
  max_cost_usd:
    "Cost ceiling of the run's judge calls in US dollars, embeddings included; null for none. The ceiling is not exceeded: before a " +
    "judgement starts, its maximum cost is reserved (one token per byte of its prompts, the maximum answer length, two attempts " +
    "per question, at this deployment's prices), and afterwards the unused part is released. If the remaining amount is too small, " +
    "judgements first wait for each other, then get shorter answers, then a single attempt, then prompts count by tokenizer " +
    "(for OpenAI's models and those that have reported usage); finally the run ends with an error message, keeps its scores, and " +
    "can be retried. A run completes if the ceiling covers the cost of its judgements plus the " +
    "maximum cost of the most expensive one with a single attempt: one token per byte of its prompts and schemas, 600 tokens more " +
    "per prompt (2,000 after an extraction step), 50,000 per image, nothing cached, and an answer of 1.5 times the usual length " +
    "plus 128 tokens (1,024 if unknown). Truncated answers, and extractions of more than 2,000 bytes, may be requested and paid " +
    "again. After fifty similar judgements that used 70 % of the ceiling, the remaining 30 % suffices for 21 more, unless long " +
    "prompts come mostly from a cheap cache, images take far fewer than 50,000 tokens, or answers have fewer than 50 tokens. A " +
    "call without reported usage counts with its maximum cost. The guarantee requires that providers report usage correctly and " +
    "respect the token limit. What a dead worker's calls may have cost counts as spent. A configured model without a known price is refused.",
  tier:
    "Service tier of judge calls; null for the default of the service. `flex` uses spare capacity of the provider at half the price " +
    "where available (OpenAI's GPT-5 and later, o3 and o4-mini; Gemini 2.5 and later; Nova, gpt-oss, Qwen and DeepSeek on Bedrock); calls refused there are repeated at the standard tier at once, and " +
    "each score records its tier.",
};

/** Schemas of these settings. */
export const runSettings = resourceSchemas(runFields, runDescriptions);

const { min, max } = runFields.max_cost_usd;

/** Schema of the cost ceiling of a run in a query. */
export const maxCostText = amountBetween(min, max);
