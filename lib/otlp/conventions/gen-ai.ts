import type { Json, JsonObject } from "../../domain/json.ts";
import { messagesOfGenAi, systemMessageOf } from "../chat-messages.ts";
import {
  amount,
  amountsAt,
  encodedAt,
  isObject,
  jsonAt,
  mapped,
  peeked,
  structured,
  textAt,
  under,
  wordAt,
  type FoundValue,
  type Reader,
} from "../reader.ts";
import type { Convention } from "./convention.ts";

const messages =
  (name: string): Reader<Json> =>
  (span) => {
    const ofAgent = name === "gen_ai.output.messages" && span.attributes["gen_ai.operation.name"] === "invoke_agent";
    return mapped(jsonAt(name), (value) => messagesOfGenAi(value, ofAgent) ?? value)(span);
  };

const system = mapped(jsonAt("gen_ai.system_instructions"), systemMessageOf);

const request: Reader<Json> = (span) => {
  const [said, instructions] = [messages("gen_ai.input.messages")(span), system(span)];
  if (instructions === null) return said;
  const conversation = Array.isArray(said?.value) ? said.value : [];
  if (said !== null && conversation.length === 0) return said;
  return { value: [instructions.value, ...conversation], keys: [...instructions.keys, ...(said?.keys ?? [])] };
};

const requestParameters = under("gen_ai.request.", ["gen_ai.request.model"]);
const toolDefinitions = jsonAt("gen_ai.tool.definitions");

const parameters: Reader<JsonObject> = (span): FoundValue<JsonObject> | null => {
  const [given, tools] = [requestParameters(span), toolDefinitions(span)];
  if (given === null && tools === null) return null;
  return {
    value: { ...given?.value, ...(tools !== null && { tools: tools.value }) },
    keys: [...(given?.keys ?? []), ...(tools?.keys ?? [])],
  };
};

const secondsAt = (name: string): Reader<number> =>
  mapped(jsonAt(name), (seconds) => {
    const value = amount(seconds);
    return value === null ? null : value * 1000;
  });

/**
 * The semantic conventions for generative AI as they are now: `gen_ai.input.messages`, `gen_ai.provider.name`,
 * `gen_ai.usage.input_tokens`.
 */
export const genAi: Convention = {
  kind: [
    wordAt("gen_ai.operation.name", {
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
    }),
  ],
  model: [textAt("gen_ai.response.model"), textAt("gen_ai.request.model")],
  input: [request, encodedAt("gen_ai.tool.call.arguments"), jsonAt("gen_ai.retrieval.query.text")],
  output: [
    messages("gen_ai.output.messages"),
    encodedAt("gen_ai.tool.call.result"),
    jsonAt("gen_ai.retrieval.documents"),
  ],
  parameters: [parameters],
  usage: [
    amountsAt({
      prompt_tokens: ["gen_ai.usage.input_tokens"],
      completion_tokens: ["gen_ai.usage.output_tokens"],
      cache_read_tokens: ["gen_ai.usage.cache_read.input_tokens"],
      cache_write_tokens: ["gen_ai.usage.cache_creation.input_tokens"],
      reasoning_tokens: ["gen_ai.usage.reasoning.output_tokens"],
    }),
  ],
  cost: [amountsAt({ total: ["gen_ai.usage.cost"] })],
  toolName: [textAt("gen_ai.tool.name")],
  agentName: [peeked(textAt("gen_ai.agent.name"))],
  chainName: [peeked(textAt("gen_ai.workflow.name"))],
  session: [textAt("gen_ai.conversation.id"), textAt("session.id")],
  user: [textAt("user.id"), textAt("enduser.id")],
  firstToken: [
    secondsAt("gen_ai.response.time_to_first_chunk"),
    secondsAt("gen_ai.client.operation.time_to_first_chunk"),
  ],
  bookkeeping: ["gen_ai.client.operation.", "gen_ai.execute_tool.duration", "gen_ai.response.id"],
};

/** A message that is an event: its fields are attributes, or all in one attribute. The id of a tool's message is its call's. */
const eventMessage = (role: string, attributes: JsonObject): Json => {
  const body = structured(attributes["message"] ?? null);
  const own = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, structured(value)]));
  const { id, ...said } = isObject(body) ? body : own;
  return { role, ...said, ...(id !== undefined && (role === "tool" ? { tool_call_id: id } : { id })) };
};

const roles: Readonly<Record<string, string>> = {
  "gen_ai.system.message": "system",
  "gen_ai.user.message": "user",
  "gen_ai.assistant.message": "assistant",
  "gen_ai.tool.message": "tool",
};

/** Messages that are events of their own; the attributes are kept with the events. */
const spoken =
  (names: Readonly<Record<string, string>>): Reader<Json> =>
  ({ events }) => {
    const said = events.flatMap(({ name, attributes }) => {
      const role = Object.hasOwn(names, name) ? names[name] : undefined;
      return role === undefined ? [] : [eventMessage(role, attributes)];
    });
    return said.length === 0 ? null : { value: said, keys: [] };
  };

/** What a reader finds in the attributes of an event. */
const inEvent =
  (name: string, read: Reader<Json>): Reader<Json> =>
  (span) => {
    for (const event of span.events) {
      const found = event.name === name ? read({ ...span, attributes: event.attributes }) : null;
      if (found !== null) return { value: found.value, keys: [] };
    }
    return null;
  };

const details = "gen_ai.client.inference.operation.details";

/** The same conventions with the messages in events: one with all of them, one for each, or one for prompt and completion. */
export const genAiEvents: Convention = {
  input: [inEvent(details, request), spoken(roles), inEvent("gen_ai.content.prompt", jsonAt("gen_ai.prompt"))],
  output: [
    inEvent(details, messages("gen_ai.output.messages")),
    spoken({ "gen_ai.choice": "assistant" }),
    inEvent("gen_ai.content.completion", jsonAt("gen_ai.completion")),
  ],
};
