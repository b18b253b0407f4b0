import { isObject, type Json } from "../domain/json.ts";
import { messagesOfPrompt } from "./payloads/chat-messages.ts";
import { isList, parseEmbeddedJson } from "./attributes/embedded-json.ts";
import { flattenedAt, documentedAs, jsonAt, mapReader, textAt, enumAt } from "./attributes/reader.ts";
import { usageUnder } from "./usage-readers.ts";
import { inNamespace, type Convention, type Readers } from "./convention.ts";

const conversation = (prefix: string): Readers<Json> => [
  mapReader(flattenedAt(prefix), (list) => list.flatMap(messagesOfPrompt)),
  jsonAt(prefix),
];

/** Converts a flattened tool definition to OpenAI's form. Some instrumentations call the parameter schema `arguments`. */
const functionOf = (value: Json): Json => {
  if (!isObject(value)) return { type: "function", function: value };
  const { arguments: argumentsSchema, parameters = argumentsSchema, ...otherFields } = value;
  return {
    type: "function",
    function: { ...otherFields, ...(parameters !== undefined && { parameters: parseEmbeddedJson(parameters) }) },
  };
};

/**
 * Earlier attribute names of the generative AI conventions: `gen_ai.prompt.0.content`, `gen_ai.usage.prompt_tokens`. They come from
 * Traceloop's instrumentations, some of which still use them.
 */
export const previousGenAi: Convention = {
  applies: inNamespace("gen_ai", "llm"),
  kind: [enumAt("llm.request.type", { chat: "LLM", completion: "LLM", embedding: "EMBEDDING", rerank: "RETRIEVER" })],
  model: [textAt("llm.response.model"), textAt("llm.request.model")],
  input: conversation("gen_ai.prompt"),
  output: conversation("gen_ai.completion"),
  parameters: [
    documentedAs(
      { tools: ["llm.request.functions.N.*"] },
      mapReader(flattenedAt("llm.request.functions"), (list) =>
        isList(list) ? { tools: list.map(functionOf) } : null,
      ),
    ),
  ],
  usage: [usageUnder("llm.usage.")],
};
