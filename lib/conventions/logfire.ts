import { isObject, type Json, type JsonObject } from "../domain/json.ts";
import type { Span } from "../domain/traces/trace.ts";
import { messagesOf } from "./payloads/messages.ts";
import { replyIn } from "./payloads/replies.ts";
import { isList } from "./attributes/embedded-json.ts";
import { usageAt } from "./usage-readers.ts";
import {
  documentedAs,
  jsonAt,
  labelAt,
  mapReader,
  objectAt,
  textAt,
  textIn,
  type Reader,
} from "./attributes/reader.ts";
import type { Convention } from "./convention.ts";

/** Kinds of spans by the beginning of their message template (`logfire.msg_template`). */
const kinds: readonly (readonly [RegExp, Span["kind"]])[] = [
  [/^Function: /u, "TOOL"],
  [/^MCP request: .*tools\/call/u, "TOOL"],
  [/^Agent run: /u, "AGENT"],
  [/^(?:Chat Completion|Responses API|Message|Text Completion|Generation|Response) with /iu, "LLM"],
  [/^Embedding Creation with /u, "EMBEDDING"],
  [/^(?:OpenAI Agents trace|Task|Turn|Handoff|Guardrail|Custom span)\b/u, "CHAIN"],
];

const kind: Reader<Span["kind"]> = documentedAs(
  ["(the beginning of `logfire.msg_template` or `logfire.msg`)"],
  ({ attributes }) => {
    const template = attributes["logfire.msg_template"] ?? attributes["logfire.msg"];
    const kindEntry = typeof template === "string" ? kinds.find(([start]) => start.test(template)) : undefined;
    return kindEntry === undefined ? null : { value: kindEntry[1], keys: [] };
  },
);

const ifKind =
  (...allowedKinds: readonly Span["kind"][]) =>
  <Value>(reader: Reader<Value>): Reader<Value> =>
    documentedAs(reader.sources ?? {}, (span) => {
      const spanKind = kind(span)?.value;
      return spanKind !== undefined && allowedKinds.includes(spanKind) ? reader(span) : null;
    });

/** The messages of a model call, split into `input` (before the reply) and `output` (the reply). */
interface ConversationSides {
  readonly input: readonly Json[];
  readonly output: readonly Json[];
}

/** Splits Logfire's list of message events into input and output. The output is in choice events, or else in the last messages of the assistant. */
const sidesOf = (value: Json): ConversationSides | null => {
  if (!isList(value) || value.length === 0 || !value.every(isObject)) return null;
  const events = value.map(({ "event.name": name, message, ...fields }) => ({
    isChoice: name === "gen_ai.choice",
    // An event that Logfire cannot represent as a message has its data in `data`.
    message: isObject(message) ? { role: "assistant", ...message } : isObject(fields["data"]) ? fields["data"] : fields,
  }));
  const isFromAssistant = ({ role, type }: JsonObject): boolean =>
    role === "assistant" || type === "reasoning" || type === "function_call";
  const lastInput = events.findLastIndex(({ isChoice, message }) => !isChoice && !isFromAssistant(message));
  const from = events.some(({ isChoice }) => isChoice) ? events.findIndex(({ isChoice }) => isChoice) : lastInput + 1;
  const [input, output] = [events.slice(0, from), events.slice(from)].map((side) =>
    side.length === 0 ? [] : messagesOf(side.map(({ message }) => message)),
  );
  return input && output ? { input, output } : null;
};

const side = (which: keyof ConversationSides): Reader<Json> => {
  const reader = mapReader(jsonAt("events"), sidesOf);
  return documentedAs(["events"], (span) => {
    const result = reader(span);
    const value = result?.value[which] ?? [];
    return result === null || value.length === 0 ? null : { value, keys: result.keys };
  });
};

const toolsOf = documentedAs(
  { tools: ["(`tools` in `request_data`)"] },
  mapReader(objectAt("request_data"), ({ tools }) => (isList(tools) ? { tools } : null)),
);

/** Reads the text of an error of the Agents SDK; a failed tool's cause is in its data, which stays metadata. */
const agentError: Reader<string> = documentedAs(textIn("error", "message").sources ?? {}, (span) => {
  const { message, data } = objectAt("error")(span)?.value ?? {};
  const texts = [message, isObject(data) ? data["error"] : null].filter((text) => typeof text === "string");
  return texts.length === 0 ? null : { value: texts.join(": "), keys: [] };
});

/** Attributes of Logfire's instrumentations, such as those for OpenAI and its Agents SDK: `logfire.msg`, `events`, `request_data`. */
export const logfire: Convention = {
  product: "Logfire",
  applies: (namespaces, { scope }) => namespaces.has("logfire") || scope.name.startsWith("logfire"),
  kind: [kind],
  model: [textIn("response_data", "model"), textIn("request_data", "model"), textIn("response", "model")],
  // A request of the Agents SDK ends with the reply; the span's own input does not.
  input: [side("input"), ifKind("LLM", "TOOL", "CHAIN", "AGENT")(jsonAt("input")), jsonAt("request_data")],
  output: [
    side("output"),
    mapReader(jsonAt("response_data"), (value) =>
      isObject(value) ? (replyIn(value["message"] ?? value) ?? value) : value,
    ),
    ifKind("LLM", "TOOL", "CHAIN", "AGENT")(jsonAt("output")),
  ],
  usage: [usageAt("usage")],
  parameters: [toolsOf],
  toolName: [ifKind("TOOL")(textAt("name"))],
  agentName: [ifKind("AGENT")(textAt("name"))],
  label: [textAt("logfire.msg")],
  // Without a group the attribute is JSON's null, as text.
  session: [mapReader(labelAt("group_id"), (group) => (group === "null" ? null : group))],
  user: [textIn("metadata", "user_id")],
  failure: [agentError, textAt("logfire.exception.message")],
  bookkeeping: [
    "agent_name",
    "agent_trace_id",
    "code.",
    "events",
    "from_agent",
    "gen_ai.usage.raw",
    "group_id",
    "logfire.",
    "mcp_data",
    "model_settings",
    "name",
    "operation.cost",
    "output_type",
    "raw_input",
    "request_data",
    "response",
    "response_data",
    "response_id",
    "sdk_span_type",
    "to_agent",
    "tracing",
    "turn",
    "type",
    "usage",
  ],
};
