import { amount, amountsAt, mapped, peeked, textAt } from "../reader.ts";
import type { Convention } from "./convention.ts";

const numberAfter = (text: string, name: string): number | null =>
  amount(new RegExp(`'${name}': (\\d+)`, "u").exec(text)?.[1]);

/** Tokens that are told in nothing but a Python object as text. */
const details = peeked(
  mapped(textAt("metadata.usage_object"), (text) => {
    const found = {
      cache_read_tokens: numberAfter(text, "cached_tokens"),
      cache_write_tokens: numberAfter(text, "cache_creation_tokens"),
      reasoning_tokens: numberAfter(text, "reasoning_tokens"),
    };
    const told = Object.entries(found).filter(([, value]) => value !== null);
    return told.length === 0 ? null : Object.fromEntries(told);
  }),
);

/** What LiteLLM's callback adds to the GenAI conventions, and the request as it sent it on, which says the same again. */
export const liteLlm: Convention = {
  applies: (namespaces, { scope }) => scope.name === "litellm" || namespaces.has("litellm"),
  cost: [
    amountsAt({
      total: ["gen_ai.cost.total_cost"],
      prompt: ["gen_ai.cost.input_cost"],
      completion: ["gen_ai.cost.output_cost"],
    }),
  ],
  usage: [details],
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
