import { parseInstant } from "../domain/instant.ts";
import { isObject, type Json } from "../domain/json.ts";
import { replyOfAiSdk } from "./payloads/ai-sdk-messages.ts";
import {
  attributesUnder,
  documentedAs,
  encodedAt,
  enumAt,
  labelAt,
  mapReader,
  mapSpanReader,
  retaining,
  textAt,
  withoutConsuming,
  type Reader,
} from "./attributes/reader.ts";
import { inNamespace, type Convention } from "./convention.ts";
import { tagsAt } from "./tags.ts";

const metadataPrefix = "mastra.metadata.";
const [sessions, users] = [
  ["sessionId", "session_id", "threadId", "conversationId"].map((name) => metadataPrefix + name),
  ["userId", "user_id", "resourceId"].map((name) => metadataPrefix + name),
];

/** Metadata that Mastra itself adds: ids, and the provider's answer with its headers. */
const excludedKeys = ["body", "headers", "id", "modelMetadata", "runId", "timestamp", "toolCallId", "toolName"].map(
  (name) => metadataPrefix + name,
);

/** Reads the input or output of a span, whose attribute is named after the span's type: `mastra.agent_run.input`. */
const contentAt = (side: "input" | "output"): Reader<Json> =>
  documentedAs([`(\`mastra.\`, the span's type and \`.${side}\`, such as \`mastra.agent_run.${side}\`)`], (span) => {
    const type = span.attributes["mastra.span.type"];
    return typeof type === "string" ? encodedAt(`mastra.${type}.${side}`)(span) : null;
  });

/** Types of spans whose text was written after all their tool calls had results. */
const answeredTypes: ReadonlySet<Json | undefined> = new Set(["agent_run", "model_generation"]);

const output = retaining(
  /"(?:text|toolName)\\?":/u,
  mapSpanReader(contentAt("output"), (value, { attributes }) => {
    const reply = replyOfAiSdk(value, answeredTypes.has(attributes["mastra.span.type"]));
    // A failed call has a result with an empty text.
    return reply ?? (isObject(value) && value["text"] === "" ? null : value);
  }),
);

/** Reads the id of the step that has the messages of a model call: its own, or that of the request in it, its parent's. */
const stepId: Reader<string> = documentedAs(["(id of the step's span)"], ({ attributes, spanId, parentSpanId }) => {
  const isRequest = attributes["mastra.span.type"] === "model_inference";
  const id = isRequest ? parentSpanId : attributes["gen_ai.operation.name"] === "agent_step" ? spanId : null;
  return id === null ? null : { value: id, keys: [] };
});

/** Attributes that Mastra's exporter adds to the GenAI conventions, which it uses for calls of tools and models. */
export const mastra: Convention = {
  product: "Mastra",
  applies: inNamespace("mastra"),
  kind: [
    // Versions that do not report calls as spans of their own have operation `chat` here.
    enumAt("gen_ai.operation.name", {
      agent_step: "CHAIN",
      model_generation: "CHAIN",
      model_chunk: "CHAIN",
    }),
    enumAt("mastra.span.type", {
      mcp_tool_call: "TOOL",
      model_step: "LLM",
      processor_run: "CHAIN",
      rag_embedding: "EMBEDDING",
      rag_vector_operation: "RETRIEVER",
      workflow_conditional: "CHAIN",
      workflow_conditional_eval: "CHAIN",
      workflow_loop: "CHAIN",
      workflow_parallel: "CHAIN",
      workflow_run: "CHAIN",
      workflow_step: "CHAIN",
      workspace_action: "TOOL",
    }),
  ],
  input: [contentAt("input")],
  output: [output],
  agentName: [withoutConsuming(textAt("gen_ai.agent.name"))],
  session: sessions.map(labelAt),
  user: users.map(labelAt),
  traceName: [labelAt(`${metadataPrefix}traceName`)],
  tags: [tagsAt("mastra.tags")],
  callId: [stepId],
  firstTokenAt: [mapReader(textAt("mastra.completion_start_time"), parseInstant)],
  metadata: [attributesUnder(metadataPrefix, [...sessions, ...users, ...excludedKeys])],
  bookkeeping: [
    "gen_ai.agent.name",
    "gen_ai.operation.name",
    "gen_ai.tool.description",
    "mastra.model_step.is_continued",
    "mastra.model_step.step_index",
    "mastra.span.type",
    ...excludedKeys,
  ],
};
