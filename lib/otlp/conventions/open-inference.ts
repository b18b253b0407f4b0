import type { Json, JsonObject } from "../../domain/json.ts";
import { messagesOfOpenInference } from "../chat-messages.ts";
import { flattenedAt } from "../flattened.ts";
import { numbersIn, vectorText } from "../payloads/vectors.ts";
import {
  amountsAt,
  isList,
  isObject,
  jsonAt,
  mapped,
  objectAt,
  peeked,
  structured,
  textAt,
  textIn,
  wordAt,
  type Reader,
} from "../reader.ts";
import { inNamespace, type Convention } from "./convention.ts";

const messages = (prefix: string): Reader<Json> =>
  mapped(flattenedAt(prefix), (list) => list.flatMap(messagesOfOpenInference));

const documentOf = (item: Json): Json => {
  const document = isObject(item) ? item["document"] : undefined;
  if (!isObject(document)) return document ?? item;
  const { metadata } = document;
  return metadata === undefined ? document : { ...document, metadata: structured(metadata) };
};

const documents = (prefix: string): Reader<Json> => mapped(flattenedAt(prefix), (list) => list.map(documentOf));

const toolOf = (item: Json): Json => {
  const tool = isObject(item) ? item["tool"] : undefined;
  return isObject(tool) && tool["json_schema"] !== undefined ? structured(tool["json_schema"]) : (tool ?? item);
};

const invocation = objectAt("llm.invocation_parameters");
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
const embeddings = flattenedAt("embedding.embeddings");
const embedded = peeked(mapped(embeddings, textsIn));

const vectors = peeked(
  mapped(embeddings, (list) => {
    const found = list.flatMap((item) => {
      const embedding = isObject(item) ? item["embedding"] : undefined;
      const vector = isObject(embedding) ? embedding["vector"] : undefined;
      if (typeof vector === "string") return vector.startsWith("[") ? [numbersIn(vector)] : [];
      return isList(vector) ? [vector.length] : [];
    });
    return found.length === 0 ? null : vectorText(found);
  }),
);

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
  applies: inNamespace(
    "openinference",
    "agent",
    "llm",
    "input",
    "output",
    "embedding",
    "retrieval",
    "reranker",
    "tool",
    "session",
    "user",
    "tag",
    "metadata",
  ),
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
      PROMPT: "CHAIN",
      DECISION: "OTHER",
    }),
  ],
  model: [
    textAt("llm.response.model_name"),
    textAt("llm.model_name"),
    textAt("llm.request.model_name"),
    textAt("embedding.model_name"),
    textAt("reranker.model_name"),
    // A call that failed has no response to tell it.
    textIn("llm.invocation_parameters", "model", "model_name"),
    textIn("embedding.invocation_parameters", "model"),
  ],
  input: [messages("llm.input_messages"), embedded, jsonAt("input.value")],
  output: [
    messages("llm.output_messages"),
    documents("retrieval.documents"),
    documents("reranker.output_documents"),
    vectors,
    jsonAt("output.value"),
  ],
  parameters: [parameters, objectAt("embedding.invocation_parameters")],
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
  metadata: [objectAt("metadata")],
  bookkeeping: [
    "embedding.embeddings.",
    "graph.node.",
    "input.mime_type",
    "llm.finish_reason",
    "llm.prompt_template.",
    "llm.provider",
    "llm.system",
    "llm.token_count.",
    "output.mime_type",
    "tool.description",
    "tool.parameters",
  ],
};
