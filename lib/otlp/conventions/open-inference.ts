import type { Json, JsonObject } from "../../domain/json.ts";
import { messageOfOpenInference } from "../chat-messages.ts";
import { flattenedAt } from "../flattened.ts";
import { amountsAt, isObject, jsonAt, mapped, peeked, structured, textAt, wordAt, type Reader } from "../reader.ts";
import type { Convention } from "./convention.ts";

const messages = (prefix: string): Reader<Json> =>
  mapped(flattenedAt(prefix), (list) => list.map(messageOfOpenInference));

const unwrapped =
  (name: string) =>
  (list: readonly Json[]): Json =>
    list.map((item) => (isObject(item) ? (item[name] ?? item) : item));

const toolOf = (item: Json): Json => {
  const tool = isObject(item) ? item["tool"] : undefined;
  return isObject(tool) && tool["json_schema"] !== undefined ? structured(tool["json_schema"]) : (tool ?? item);
};

const invocation = mapped(jsonAt("llm.invocation_parameters"), (value) => (isObject(value) ? value : null));
const tools = mapped(flattenedAt("llm.tools"), (list): Json => list.map(toolOf));

const parameters: Reader<JsonObject> = (span) => {
  const [given, offered] = [invocation(span), tools(span)];
  if (given === null && offered === null) return null;
  return {
    value: { ...given?.value, ...(offered !== null && { tools: offered.value }) },
    keys: [...(given?.keys ?? []), ...(offered?.keys ?? [])],
  };
};

const textsIn = (list: readonly Json[]): Json | null => {
  const texts = list.flatMap((item) => {
    const embedding = isObject(item) ? item["embedding"] : undefined;
    return isObject(embedding) && typeof embedding["text"] === "string" ? [embedding["text"]] : [];
  });
  return texts.length === 0 ? null : texts;
};

/** The texts of embeddings; their vectors stay where they are. */
const embedded = peeked(mapped(flattenedAt("embedding.embeddings"), textsIn));

const costs = amountsAt({
  total: ["llm.cost.total"],
  prompt: ["llm.cost.prompt"],
  completion: ["llm.cost.completion"],
});

const withTotal = (cost: JsonObject): JsonObject =>
  cost["total"] === undefined
    ? { ...cost, total: Number(cost["prompt"] ?? 0) + Number(cost["completion"] ?? 0) }
    : cost;

/** Arize's OpenInference: `openinference.span.kind`, `llm.input_messages.0.message.content`, `input.value`. */
export const openInference: Convention = {
  kind: [
    wordAt("openinference.span.kind", {
      LLM: "LLM",
      EMBEDDING: "EMBEDDING",
      CHAIN: "CHAIN",
      RETRIEVER: "RETRIEVER",
      RERANKER: "RETRIEVER",
      TOOL: "TOOL",
      AGENT: "AGENT",
      GUARDRAIL: "OTHER",
      EVALUATOR: "OTHER",
      PROMPT: "OTHER",
      DECISION: "OTHER",
    }),
  ],
  model: [
    textAt("llm.response.model_name"),
    textAt("llm.model_name"),
    textAt("llm.request.model_name"),
    textAt("embedding.model_name"),
    textAt("reranker.model_name"),
  ],
  input: [messages("llm.input_messages"), jsonAt("input.value"), embedded],
  output: [
    messages("llm.output_messages"),
    mapped(flattenedAt("retrieval.documents"), unwrapped("document")),
    mapped(flattenedAt("reranker.output_documents"), unwrapped("document")),
    jsonAt("output.value"),
  ],
  parameters: [parameters],
  usage: [
    amountsAt({
      prompt_tokens: ["llm.token_count.prompt"],
      completion_tokens: ["llm.token_count.completion"],
      total_tokens: ["llm.token_count.total"],
      cache_read_tokens: ["llm.token_count.prompt_details.cache_read"],
      cache_write_tokens: ["llm.token_count.prompt_details.cache_write"],
      reasoning_tokens: ["llm.token_count.completion_details.reasoning"],
    }),
  ],
  cost: [mapped(costs, withTotal)],
  toolName: [textAt("tool.name")],
  agentName: [peeked(textAt("agent.name"))],
  session: [textAt("session.id")],
  user: [textAt("user.id")],
  tags: [jsonAt("tag.tags")],
  metadata: [mapped(jsonAt("metadata"), (value) => (isObject(value) ? value : null))],
  bookkeeping: ["input.mime_type", "output.mime_type", "embedding.embeddings."],
};
