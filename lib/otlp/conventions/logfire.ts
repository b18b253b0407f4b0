import type { Json, JsonObject } from "../../domain/json.ts";
import type { Span } from "../../domain/traces/trace.ts";
import { messagesOf } from "../payloads/messages.ts";
import { replyIn } from "../payloads/replies.ts";
import { amountsIn, isList, isObject, jsonAt, mapped, objectAt, textAt, textIn, type Reader } from "../reader.ts";
import type { Convention } from "./convention.ts";

/** What a span is of, by how its message begins: the names of spans are templates. */
const kinds: readonly (readonly [RegExp, Span["kind"]])[] = [
  [/^Function: /u, "TOOL"],
  [/^MCP request: .*tools\/call/u, "TOOL"],
  [/^Agent run: /u, "AGENT"],
  [/^(?:Chat Completion|Responses API|Message|Text Completion|Generation|Response) with /u, "LLM"],
  [/^Embedding Creation with /u, "EMBEDDING"],
  [/^(?:OpenAI Agents trace|Task|Turn|Handoff|Guardrail|Custom span)\b/u, "CHAIN"],
];

const kind: Reader<Span["kind"]> = ({ attributes }) => {
  const template = attributes["logfire.msg_template"] ?? attributes["logfire.msg"];
  const found = typeof template === "string" ? kinds.find(([start]) => start.test(template)) : undefined;
  return found === undefined ? null : { value: found[1], keys: [] };
};

const isOf =
  (...wanted: readonly Span["kind"][]) =>
  <Value>(read: Reader<Value>): Reader<Value> =>
  (span) => {
    const is = kind(span)?.value;
    return is !== undefined && wanted.includes(is) ? read(span) : null;
  };

interface Sides {
  readonly asked: readonly Json[];
  readonly answered: readonly Json[];
}

/** Messages as events in a list: what was answered is in choices, or stands at the end. */
const sidesOf = (value: Json): Sides | null => {
  if (!isList(value) || value.length === 0 || !value.every(isObject)) return null;
  const events = value.map(({ "event.name": name, message, ...fields }) => ({
    isChoice: name === "gen_ai.choice",
    // What has no form as a message stands beside a text that says so.
    message: isObject(message) ? { role: "assistant", ...message } : isObject(fields["data"]) ? fields["data"] : fields,
  }));
  const ofAssistant = ({ role, type }: JsonObject): boolean =>
    role === "assistant" || type === "reasoning" || type === "function_call";
  const lastAsked = events.findLastIndex(({ isChoice, message }) => !isChoice && !ofAssistant(message));
  const from = events.some(({ isChoice }) => isChoice) ? events.findIndex(({ isChoice }) => isChoice) : lastAsked + 1;
  const [asked, answered] = [events.slice(0, from), events.slice(from)].map((side) =>
    side.length === 0 ? [] : messagesOf(side.map(({ message }) => message)),
  );
  return asked && answered ? { asked, answered } : null;
};

const side = (which: keyof Sides): Reader<Json> => {
  const read = mapped(jsonAt("events"), sidesOf);
  return (span) => {
    const found = read(span);
    const value = found?.value[which] ?? [];
    return found === null || value.length === 0 ? null : { value, keys: found.keys };
  };
};

const toolsOf = mapped(objectAt("request_data"), ({ tools }) => (isList(tools) ? { tools } : null));

/** Logfire's own instrumentations: `logfire.msg`, `events`, `request_data`; the OpenAI Agents SDK and OpenAI's client among them. */
export const logfire: Convention = {
  applies: (namespaces, { scope }) => namespaces.has("logfire") || scope.name.startsWith("logfire"),
  kind: [kind],
  model: [textIn("response_data", "model"), textIn("request_data", "model"), textIn("response", "model")],
  input: [side("asked"), jsonAt("request_data"), isOf("TOOL", "CHAIN", "AGENT")(jsonAt("input"))],
  output: [
    side("answered"),
    mapped(jsonAt("response_data"), (value) =>
      isObject(value) ? (replyIn(value["message"] ?? value) ?? value) : value,
    ),
    isOf("TOOL", "CHAIN", "AGENT")(jsonAt("output")),
  ],
  parameters: [toolsOf],
  usage: [
    isOf("LLM")(
      mapped(objectAt("gen_ai.usage.raw"), (raw) => {
        const inner = (name: string) => (isObject(raw[name]) ? raw[name] : {});
        return amountsIn({ cache_read_tokens: ["cached_tokens"], reasoning_tokens: ["reasoning_tokens"] })({
          ...inner("input_tokens_details"),
          ...inner("prompt_tokens_details"),
          ...inner("output_tokens_details"),
          ...inner("completion_tokens_details"),
        });
      }),
    ),
  ],
  toolName: [isOf("TOOL")(textAt("name"))],
  agentName: [isOf("AGENT")(textAt("name"))],
  label: [textAt("logfire.msg")],
  session: [textAt("group_id")],
  user: [textIn("metadata", "user_id")],
  failure: [textIn("error", "message"), textAt("logfire.exception.message")],
  bookkeeping: [
    "agent_name",
    "agent_trace_id",
    "code.",
    "events",
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
    "tracing",
    "turn",
    "type",
    "usage",
  ],
};
