import { amountsAt, labelAt, withoutConsuming } from "./attributes/reader.ts";
import { usageAt } from "./usage-readers.ts";
import type { Convention } from "./convention.ts";

/** Attributes that LiteLLM's callback adds to the GenAI conventions; those of the forwarded request are duplicates. */
export const liteLlm: Convention = {
  product: "LiteLLM",
  applies: (namespaces, { scope }) => scope.name === "litellm" || namespaces.has("litellm"),
  cost: [
    amountsAt({
      total: ["gen_ai.cost.total_cost"],
      prompt: ["gen_ai.cost.input_cost"],
      completion: ["gen_ai.cost.output_cost"],
    }),
  ],
  usage: [withoutConsuming(usageAt("metadata.usage_object"))],
  user: [labelAt("llm.user"), labelAt("metadata.user_api_key_end_user_id")],
  bookkeeping: [
    "error.code",
    "error.llm_provider",
    "error.stack_trace",
    "gen_ai.cost.",
    "hidden_params",
    "litellm.",
    "llm.anthropic.",
    "llm.azure.",
    "llm.bedrock.",
    "llm.gemini.",
    "llm.is_streaming",
    "llm.openai.",
    "llm.vertex_ai.",
    "metadata.",
  ],
};
