import { isObject, type Json, type JsonObject } from "../domain/json.ts";
import { messagesOfOpenInference } from "./payloads/chat-messages.ts";
import { isList, parseEmbeddedJson } from "./attributes/embedded-json.ts";
import {
  flattenedAt,
  documentedAs,
  amountsAt,
  encodedAt,
  jsonAt,
  labelAt,
  like,
  mapReader,
  mapSpanReader,
  objectAt,
  withoutConsuming,
  textAt,
  textIn,
  enumAt,
  type Reader,
} from "./attributes/reader.ts";
import { usageUnder } from "./usage-readers.ts";
import { frameworkValues } from "./payloads/framework-values.ts";
import { areMessages } from "./payloads/messages.ts";
import { replyIn } from "./payloads/replies.ts";
import { requestIn } from "./payloads/requests.ts";
import { countNumbers, vectorText } from "./payloads/vectors.ts";
import { inNamespace, type Convention } from "./convention.ts";
import { tagsAt } from "./tags.ts";

/** True for a message that lost its content blocks, or the ids of its calls, when it was flattened. */
const isIncomplete = (message: Json): boolean => {
  if (!isObject(message)) return false;
  const { content, tool_calls: calls } = message;
  if (isList(calls)) return calls.some((call) => isObject(call) && call["id"] === undefined);
  return content === undefined && Object.keys(message).length === 1;
};

/** Reads flattened messages; incomplete ones, as sent for LangChain.js, from the original in another attribute. */
const messages = (prefix: string, name: string, original: (value: Json) => Json | undefined): Reader<Json> =>
  mapSpanReader(flattenedAt(prefix), (list, { attributes }) => {
    const flattened = list.flatMap(messagesOfOpenInference);
    if (!flattened.some(isIncomplete)) return flattened;
    const complete = original(parseEmbeddedJson(attributes[name] ?? null));
    return areMessages(complete) && complete.length === flattened.length ? complete : flattened;
  });

const documentOf = (item: Json): Json => {
  const document = isObject(item) ? item["document"] : undefined;
  if (!isObject(document)) return document ?? item;
  const { metadata } = document;
  return metadata === undefined ? document : { ...document, metadata: parseEmbeddedJson(metadata) };
};

const documents = (prefix: string): Reader<Json> => mapReader(flattenedAt(prefix), (list) => list.map(documentOf));

const toolOf = (item: Json): Json => {
  const tool = isObject(item) ? item["tool"] : undefined;
  return isObject(tool) && tool["json_schema"] !== undefined ? parseEmbeddedJson(tool["json_schema"]) : (tool ?? item);
};

const invocation = objectAt("llm.invocation_parameters");
const tools = mapReader(flattenedAt("llm.tools"), (list): Json => list.map(toolOf));

const parameters: Reader<JsonObject> = documentedAs({ ...invocation.sources, tools: ["llm.tools.N.*"] }, (span) => {
  const [settings, definitions] = [invocation(span), tools(span)];
  if (settings === null && definitions === null) return null;
  return {
    value: { ...settings?.value, ...(definitions !== null && { tools: definitions.value }) },
    keys: [...(settings?.keys ?? []), ...(definitions?.keys ?? [])],
  };
});

const textsIn = (list: readonly Json[]): Json | null => {
  const texts = list.flatMap((item) => {
    const embedding = isObject(item) ? item["embedding"] : undefined;
    return isObject(embedding) && typeof embedding["text"] === "string" ? [embedding["text"]] : [];
  });
  return texts.length === 0 ? null : texts;
};

/** Reads the flattened list of embeddings: texts and vectors. */
const embeddings = flattenedAt("embedding.embeddings");
const embeddedTexts = documentedAs(
  ["embedding.embeddings.N.embedding.text"],
  withoutConsuming(mapReader(embeddings, textsIn)),
);

const vectors = documentedAs(
  ["(number and dimensions of the vectors in `embedding.embeddings.N.embedding.vector`)"],
  withoutConsuming(
    mapReader(embeddings, (list) => {
      const lengths = list.flatMap((item) => {
        const embedding = isObject(item) ? item["embedding"] : undefined;
        const vector = isObject(embedding) ? embedding["vector"] : undefined;
        if (typeof vector === "string") return vector.startsWith("[") ? [countNumbers(vector)] : [];
        return isList(vector) ? [vector.length] : [];
      });
      return lengths.length === 0 ? null : vectorText(lengths);
    }),
  ),
);

/** Reads the content of a function's arguments or result as its instrumentation records them. */
const valueAt = (side: "input" | "output"): Reader<Json> => {
  const [input, output] = [jsonAt("input.value"), jsonAt("output.value")];
  const [reader, encoded] = [side === "input" ? input : output, encodedAt(`${side}.value`)];
  return like(reader, (span) => {
    const isJson = span.attributes[`${side}.mime_type`] === "application/json";
    const result = isJson ? encoded(span) : reader(span);
    const read = frameworkValues[span.scope.name]?.[side];
    if (result === null || read === undefined) return result;
    const value = read(result.value, { input: input(span)?.value ?? null, output: output(span)?.value ?? null });
    return value === null || value === result.value
      ? value === null
        ? null
        : result
      : { value, keys: [], retainedKeys: result.keys };
  });
};

const costs = amountsAt({
  total: ["llm.cost.total"],
  prompt: ["llm.cost.prompt"],
  completion: ["llm.cost.completion"],
});

const withTotal = (cost: JsonObject): JsonObject =>
  cost["total"] === undefined
    ? { ...cost, total: Number(cost["prompt"] ?? 0) + Number(cost["completion"] ?? 0) }
    : cost;

/** Reads the prompt's id from spans of OpenInference's kinds; elsewhere, as in Claude Code, it identifies a user's message. */
const libraryPrompt: Reader<string> = mapSpanReader(labelAt("prompt.id"), (id, { attributes }) =>
  attributes["openinference.span.kind"] === undefined ? null : id,
);

/** Kind of the private methods that LlamaIndex's instrumentation reports as model calls, such as `OpenAI._prepare_chat_with_tools`. */
const privateMethodKind: Reader<"CHAIN"> = documentedAs(["(private methods of LlamaIndex)"], ({ name, scope }) =>
  scope.name === "openinference.instrumentation.llama_index" && /\._(?!_)/u.test(name)
    ? { value: "CHAIN", keys: [] }
    : null,
);

/** Attributes of Arize's OpenInference: `openinference.span.kind`, `llm.input_messages.0.message.content`, `input.value`. */
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
    privateMethodKind,
    enumAt("openinference.span.kind", {
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
    // The model name of a failed call, which has no response.
    textIn("llm.invocation_parameters", "model", "model_name"),
    textIn("embedding.invocation_parameters", "model"),
  ],
  input: [
    messages("llm.input_messages", "input.value", (value) => requestIn(value)?.messages),
    embeddedTexts,
    valueAt("input"),
  ],
  output: [
    messages("llm.output_messages", "output.value", (value) => replyIn(value) ?? undefined),
    documents("retrieval.documents"),
    documents("reranker.output_documents"),
    vectors,
    valueAt("output"),
  ],
  parameters: [parameters, objectAt("embedding.invocation_parameters")],
  usage: [usageUnder("llm.token_count.")],
  cost: [mapReader(costs, withTotal)],
  toolName: [textAt("tool.name")],
  agentName: [withoutConsuming(textAt("agent.name"))],
  session: [labelAt("session.id")],
  user: [labelAt("user.id")],
  promptName: [labelAt("llm.prompt_template.name"), libraryPrompt],
  promptVersion: [labelAt("llm.prompt_template.version")],
  tags: [tagsAt("tag.tags")],
  metadata: [objectAt("metadata")],
  // The processor of OpenAI's agents ends each run's root span with OK, also after an error.
  isOkUnfounded: ({ scope, parentSpanId }) =>
    scope.name === "openinference.instrumentation.openai_agents" && parentSpanId === null,
  bookkeeping: [
    "embedding.embeddings.",
    "graph.node.",
    "input.mime_type",
    "input.value",
    "llm.finish_reason",
    "llm.prompt_template.",
    "llm.provider",
    "llm.system",
    "llm.token_count.",
    "output.mime_type",
    "output.value",
    "crew_agents",
    "crew_id",
    "crew_inputs",
    "crew_key",
    "crew_tasks",
    "smolagents.",
    "task_id",
    "task_key",
    "tool.cache_function",
    "tool.current_usage_count",
    "tool.description",
    "tool.description_updated",
    "tool.id",
    "tool.parameters",
    "tool.result_as_answer",
  ],
};
