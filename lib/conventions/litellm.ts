import {
  documentedAs,
  nonNegativeNumber,
  amountsAt,
  mapReader,
  withoutConsuming,
  textAt,
} from "./attributes/reader.ts";
import type { Convention } from "./convention.ts";

const numberIn = (text: string, pattern: RegExp): number | null => nonNegativeNumber(pattern.exec(text)?.[1]);

const usageObject = ["(in `metadata.usage_object`)"];

/** Reads token counts that LiteLLM reports only in the text (`repr`) of a Python object. */
const usageDetails = documentedAs(
  { cache_read_tokens: usageObject, cache_write_tokens: usageObject, reasoning_tokens: usageObject },
  withoutConsuming(
    mapReader(textAt("metadata.usage_object"), (text) => {
      const counts = {
        cache_read_tokens: numberIn(text, /'cached_tokens': (\d+)/u),
        cache_write_tokens: numberIn(text, /'cache_creation_tokens': (\d+)/u),
        reasoning_tokens: numberIn(text, /'reasoning_tokens': (\d+)/u),
      };
      const reportedCounts = Object.entries(counts).filter(([, value]) => value !== null);
      return reportedCounts.length === 0 ? null : Object.fromEntries(reportedCounts);
    }),
  ),
);

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
  usage: [usageDetails],
  user: [textAt("llm.user"), textAt("metadata.user_api_key_end_user_id")],
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
