import type { Json } from "../../domain/json.ts";
import { messagesOfPrompt } from "../chat-messages.ts";
import { flattenedAt } from "../flattened.ts";
import { amountsAt, isList, isObject, jsonAt, mapped, structured, textAt, wordAt } from "../reader.ts";
import { inNamespace, type Convention, type Ways } from "./convention.ts";

const conversation = (prefix: string): Ways<Json> => [
  mapped(flattenedAt(prefix), (list) => list.flatMap(messagesOfPrompt)),
  jsonAt(prefix),
];

/** Some name the schema of a tool's parameters `arguments`. */
const functionOf = (value: Json): Json => {
  if (!isObject(value)) return { type: "function", function: value };
  const { arguments: given, parameters = given, ...others } = value;
  return {
    type: "function",
    function: { ...others, ...(parameters !== undefined && { parameters: structured(parameters) }) },
  };
};

/**
 * Names the conventions had before: `gen_ai.prompt.0.content`, `gen_ai.usage.prompt_tokens`. Traceloop's instrumentations
 * made them, and some still do.
 */
export const previousGenAi: Convention = {
  applies: inNamespace("gen_ai", "llm"),
  kind: [wordAt("llm.request.type", { chat: "LLM", completion: "LLM", embedding: "EMBEDDING", rerank: "RETRIEVER" })],
  model: [textAt("llm.response.model"), textAt("llm.request.model")],
  input: conversation("gen_ai.prompt"),
  output: conversation("gen_ai.completion"),
  parameters: [
    mapped(flattenedAt("llm.request.functions"), (list) => (isList(list) ? { tools: list.map(functionOf) } : null)),
  ],
  usage: [
    amountsAt({
      prompt_tokens: ["gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens"],
      completion_tokens: ["gen_ai.usage.completion_tokens", "llm.usage.completion_tokens"],
      total_tokens: ["gen_ai.usage.total_tokens", "llm.usage.total_tokens"],
      cache_read_tokens: ["gen_ai.usage.cache_read_input_tokens"],
      cache_write_tokens: ["gen_ai.usage.cache_creation_input_tokens"],
      reasoning_tokens: ["gen_ai.usage.reasoning_tokens"],
    }),
  ],
};
