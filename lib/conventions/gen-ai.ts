import type { Json, JsonObject } from "../domain/json.ts";
import { messagesOf } from "./payloads/messages.ts";
import {
  documentedAs,
  nonNegativeNumber,
  amountsAt,
  encodedAt,
  jsonAt,
  labelAt,
  mapReader,
  mapSpanReader,
  withoutConsuming,
  textAt,
  tierAt,
  attributesUnder,
  enumAt,
  type ReadResult,
  type Reader,
} from "./attributes/reader.ts";
import { usageUnder } from "./usage-readers.ts";
import { inNamespace, type Convention } from "./convention.ts";
import { aggregatedUsage } from "./usage-totals.ts";

const messages = (name: string): Reader<Json> =>
  documentedAs([name], (span) => {
    const isAgentOutput =
      name === "gen_ai.output.messages" && span.attributes["gen_ai.operation.name"] === "invoke_agent";
    return mapReader(jsonAt(name), (value) => messagesOf(value, isAgentOutput) ?? value)(span);
  });

const requestParameters = attributesUnder("gen_ai.request.", ["gen_ai.request.model"]);
const toolDefinitions = jsonAt("gen_ai.tool.definitions");

const parameters: Reader<JsonObject> = documentedAs(
  { ...requestParameters.sources, tools: ["gen_ai.tool.definitions"] },
  (span): ReadResult<JsonObject> | null => {
    const [settings, tools] = [requestParameters(span), toolDefinitions(span)];
    if (settings === null && tools === null) return null;
    return {
      value: { ...settings?.value, ...(tools !== null && { tools: tools.value }) },
      keys: [...(settings?.keys ?? []), ...(tools?.keys ?? [])],
    };
  },
);

const secondsAt = (name: string): Reader<number> =>
  mapReader(jsonAt(name), (seconds) => {
    const value = nonNegativeNumber(seconds);
    return value === null ? null : value * 1000;
  });

/** Attributes with the service tier of a call: that of the response, else the requested one. */
const serviceTiers = ["response", "request"].flatMap((message) =>
  ["openai.", "gen_ai.openai.", "gen_ai."].map((namespace) => `${namespace}${message}.service_tier`),
);

/** Reads the id of the conversation; that of a response, to which a next one may refer, is another one for each call. */
const conversation = mapSpanReader(labelAt("gen_ai.conversation.id"), (id, { attributes }) =>
  id.startsWith("resp_") || id === attributes["gen_ai.response.id"] ? null : id,
);

/**
 * The current semantic conventions of OpenTelemetry for generative AI: `gen_ai.input.messages`, `gen_ai.provider.name`,
 * `gen_ai.usage.input_tokens`.
 */
export const genAi: Convention = {
  applies: inNamespace("gen_ai", "user", "session", "enduser"),
  kind: [
    enumAt("gen_ai.operation.name", {
      chat: "LLM",
      text_completion: "LLM",
      generate_content: "LLM",
      completion: "LLM",
      responses: "LLM",
      embeddings: "EMBEDDING",
      retrieval: "RETRIEVER",
      rerank: "RETRIEVER",
      execute_tool: "TOOL",
      invoke_agent: "AGENT",
      create_agent: "AGENT",
      invoke_workflow: "CHAIN",
      plan: "CHAIN",
      agent_step: "CHAIN",
      execute_task: "CHAIN",
      chain: "CHAIN",
      search_memory: "RETRIEVER",
    }),
  ],
  model: [textAt("gen_ai.response.model"), textAt("gen_ai.request.model")],
  input: [
    messages("gen_ai.input.messages"),
    encodedAt("gen_ai.tool.call.arguments"),
    jsonAt("gen_ai.retrieval.query.text"),
    jsonAt("gen_ai.memory.query.text"),
  ],
  system: [jsonAt("gen_ai.system_instructions")],
  output: [
    messages("gen_ai.output.messages"),
    encodedAt("gen_ai.tool.call.result"),
    jsonAt("gen_ai.retrieval.documents"),
    jsonAt("gen_ai.memory.records"),
  ],
  parameters: [parameters],
  usage: [aggregatedUsage, usageUnder("gen_ai.usage."), ...serviceTiers.map(tierAt)],
  cost: [amountsAt({ total: ["gen_ai.usage.cost"] })],
  toolName: [textAt("gen_ai.tool.name")],
  agentName: [withoutConsuming(textAt("gen_ai.agent.name"))],
  promptName: [withoutConsuming(labelAt("gen_ai.prompt.name"))],
  chainName: [withoutConsuming(textAt("gen_ai.workflow.name"))],
  session: [conversation, labelAt("session.id")],
  user: [labelAt("user.id"), labelAt("enduser.id"), labelAt("gen_ai.user.id")],
  firstToken: [
    secondsAt("gen_ai.response.time_to_first_chunk"),
    secondsAt("gen_ai.client.operation.time_to_first_chunk"),
    secondsAt("gen_ai.client.inference.time_to_first_chunk"),
    secondsAt("gen_ai.response.time_to_first_token"),
    secondsAt("gen_ai.server.time_to_first_token"),
  ],
  bookkeeping: [
    "gen_ai.client.",
    "gen_ai.execute_tool.duration",
    "gen_ai.is_streaming",
    "gen_ai.openai.",
    "gen_ai.response.id",
    "gen_ai.server.",
    "gen_ai.token.",
    "gen_ai.usage.",
  ],
};
