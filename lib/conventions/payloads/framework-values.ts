import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { isList } from "../attributes/embedded-json.ts";
import { isPythonObject, messagesInRepr, parseObject, textsOf } from "./python-text.ts";

/** Converts the input or output of a framework's span; null if it has no content. */
type ValueReader = (value: Json, span: { readonly input: Json; readonly output: Json }) => Json | null;

interface FrameworkValues {
  readonly input: ValueReader;
  readonly output: ValueReader;
}

const unchanged: ValueReader = (value) => value;

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === false ||
  (typeof value === "object" && !JSON.isRawJSON(value) && Object.keys(value).length === 0);

/** Removes settings from the named arguments of a call; the only argument that is left is returned without its name. */
const withoutSettings = (value: JsonObject, settings: readonly string[]): Json => {
  const entries = Object.entries(value).filter(([key, entry]) => !settings.includes(key) && !isEmpty(entry));
  const [only] = entries;
  return entries.length === 1 && only !== undefined ? only[1] : Object.fromEntries(entries);
};

const hasAny = (value: Json, ...keys: readonly string[]): value is JsonObject =>
  isObject(value) && keys.some((key) => value[key] !== undefined);

/** Returns messages of a text (`repr`), or of the texts in an object; null if it is a Python object without messages. */
const readRepr = (value: Json): Json | null => {
  if (typeof value === "string" && !isPythonObject(value)) return value.replace(/^assistant: (?:None$)?/u, "") || null;
  const messages = textsOf(value).flatMap(messagesInRepr);
  return messages.length === 0 ? null : messages;
};

const isFromAssistant = (message: Json): boolean => isObject(message) && message["role"] === "assistant";

/** Returns the part of a conversation before its last reply, or that reply; null if it is empty. */
const sideOf = (messages: Json | undefined, side: "input" | "output"): Json | null => {
  if (!isList(messages)) return null;
  const last = messages.findLastIndex(isFromAssistant);
  const part =
    side === "output" ? messages.slice(last).filter(isFromAssistant) : last < 0 ? messages : messages.slice(0, last);
  return part.length === 0 ? null : part;
};

const crewAi: FrameworkValues = {
  input: (value, { output }) =>
    hasAny(value, "agent")
      ? (sideOf(isObject(output) ? output["messages"] : undefined, "input") ?? value["context"] ?? null)
      : value,
  output: (value) => (hasAny(value, "raw") ? (value["json_dict"] ?? value["pydantic"] ?? value["raw"] ?? null) : value),
};

const smolAgents: FrameworkValues = {
  input: (value) => {
    if (hasAny(value, "memory_step")) return null;
    return hasAny(value, "task", "sanitize_inputs_outputs")
      ? withoutSettings(value, ["stream", "reset", "max_steps", "return_full_result", "sanitize_inputs_outputs"])
      : value;
  },
  output: unchanged,
};

const llamaIndex: FrameworkValues = {
  input: (value) => (textsOf(value).some(isPythonObject) ? readRepr(value) : value),
  output: (value) => {
    if (hasAny(value, "raw_output")) return value["raw_output"] ?? null;
    if (hasAny(value, "source_nodes")) return value["response"] ?? null;
    if (hasAny(value, "message", "messages")) return sideOf(readRepr(value) ?? undefined, "output");
    const content = typeof value === "string" ? readRepr(value) : value;
    return isList(content ?? undefined) && typeof value === "string" ? sideOf(content ?? undefined, "output") : content;
  },
};

const adk: FrameworkValues = {
  input: (value) => (hasAny(value, "new_message") ? [value["new_message"] ?? null] : value),
  output: (value) => {
    if (hasAny(value, "invocation_id")) return isEmpty(value["content"]) ? null : [value["content"] ?? null];
    return hasAny(value, "response") && hasAny(value, "name") ? (value["response"] ?? null) : value;
  },
};

const dspy: FrameworkValues = {
  input: (value) => (hasAny(value, "input_args") ? (value["input_args"] ?? null) : value),
  output: unchanged,
};

/** Converts the text (`repr`) of one of Haystack's chat messages; null for any other value. */
const haystackMessage = (value: Json): JsonObject | null => {
  const message = typeof value === "string" ? parseObject(value) : null;
  if (!hasAny(message, "_role") || !isList(message["_content"])) return null;
  const parts = message["_content"].filter(isObject);
  const texts = (key: string): string =>
    parts
      .map(({ [key]: text }) => text)
      .filter((text) => typeof text === "string")
      .join("\n");
  const result = parts.find(({ origin }) => origin !== undefined);
  const origin = isObject(result?.["origin"]) ? result["origin"] : {};
  const calls = parts.filter((part) => part["tool_name"] !== undefined);
  return {
    role: message["_role"] ?? "",
    ...(result === undefined
      ? { content: texts("text") }
      : { tool_call_id: origin["id"] ?? null, name: origin["tool_name"] ?? null, content: result["result"] ?? null }),
    ...(texts("reasoning_text") !== "" && { reasoning: texts("reasoning_text") }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id = null, tool_name: name = null, arguments: args = {} }) => ({
        id,
        type: "function",
        function: { name, arguments: args },
      })),
    }),
  };
};

/** Returns a list of Haystack's chat messages as messages; null if one of them is none. */
const haystackMessages = (value: Json | undefined): readonly JsonObject[] | null => {
  const messages = isList(value) ? value.map(haystackMessage) : [];
  const chatMessages = messages.filter((message) => message !== null);
  return chatMessages.length > 0 && chatMessages.length === messages.length ? chatMessages : null;
};

const haystack: FrameworkValues = {
  input: (value) => (isObject(value) && haystackMessages(value["messages"])) || value,
  output: (value) => {
    if (!isObject(value)) return value;
    const { last_message: last, replies, messages } = value;
    return haystackMessages(last === undefined ? (replies ?? messages) : [last]) ?? value;
  },
};

/** Readers of `input.value` and `output.value` by the name of the instrumentation that sends them. */
export const frameworkValues: Readonly<Record<string, FrameworkValues>> = {
  "openinference.instrumentation.crewai": crewAi,
  "openinference.instrumentation.dspy": dspy,
  "openinference.instrumentation.google_adk": adk,
  "openinference.instrumentation.haystack": haystack,
  "openinference.instrumentation.llama_index": llamaIndex,
  "openinference.instrumentation.smolagents": smolAgents,
};
