import type { Json, JsonObject } from "../domain/json.ts";
import { isList, isObject, structured } from "./reader.ts";

const withoutEmpty = (entries: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(entries).filter(
      ([, value]) => value !== undefined && value !== null && !(isList(value) && value.length === 0),
    ),
  );

/** A call of a tool in the form in which OpenAI's protocol has it, which transcripts and metrics read. */
const callOf = (id: Json | undefined, name: Json | undefined, given: Json | undefined): JsonObject => ({
  ...withoutEmpty({ id: id ?? null }),
  type: "function",
  function: { name: name ?? null, arguments: given ?? null },
});

const textOf = (part: JsonObject): string | null => {
  const text = part["content"] ?? part["text"];
  return typeof text === "string" ? text : null;
};

/** A message made of parts, as the GenAI conventions have it; results of tools become messages of their own. */
const messagesOfParts = ({ role, parts, ...others }: JsonObject): readonly JsonObject[] => {
  const all = isList(parts) ? parts.filter(isObject) : [];
  const ofType = (...types: readonly string[]) =>
    all.filter(({ type }) => typeof type === "string" && types.includes(type));
  const [calls, results] = [ofType("tool_call"), ofType("tool_call_response")];
  const rest = all.filter((part) => !calls.includes(part) && !results.includes(part));
  const texts = rest.every((part) => part["type"] === "text" && textOf(part) !== null);
  const content = texts ? rest.map(textOf).join("\n") : rest;
  const message = withoutEmpty({
    role: role ?? "user",
    content: rest.length === 0 ? null : content,
    tool_calls: calls.map((call) => callOf(call["id"], call["name"], call["arguments"])),
    ...others,
  });
  const answers = results.map((part) =>
    withoutEmpty({
      role: "tool",
      tool_call_id: part["id"] ?? null,
      content: structured(part["response"] ?? part["result"] ?? null),
    }),
  );
  return rest.length + calls.length > 0 || answers.length === 0 ? [message, ...answers] : answers;
};

/** Messages of the GenAI conventions as chat messages; null when it is no list of messages. */
export const messagesOfGenAi = (value: Json): readonly JsonObject[] | null => {
  if (!isList(value) || value.length === 0 || !value.every(isObject)) return null;
  return value.flatMap((message) => (isList(message["parts"]) ? messagesOfParts(message) : [message]));
};

/** Instructions of the GenAI conventions, a list of parts or a text, as a system message. */
export const systemMessageOf = (value: Json): JsonObject => {
  const parts = isList(value) ? value.filter(isObject) : [];
  const texts = parts.length > 0 && parts.every((part) => textOf(part) !== null);
  return { role: "system", content: texts ? parts.map(textOf).join("\n") : value };
};

/** A message that Traceloop and the earlier GenAI conventions flattened: calls of tools are `{id, name, arguments}`. */
export const messageOfPrompt = (value: Json): Json => {
  if (!isObject(value)) return value;
  const { tool_calls: calls, content, ...others } = value;
  return {
    ...others,
    ...(content !== undefined && { content: structured(content) }),
    ...(isList(calls) && {
      tool_calls: calls.map((call) => (isObject(call) ? callOf(call["id"], call["name"], call["arguments"]) : call)),
    }),
  };
};

const inside = (value: Json, name: string): Json =>
  isObject(value) && value[name] !== undefined ? value[name] : value;

/** A message that OpenInference flattened: every object in it is wrapped in its own name. */
export const messageOfOpenInference = (value: Json): Json => {
  const message = inside(value, "message");
  if (!isObject(message)) return message;
  const { contents, content, tool_calls: calls, ...others } = message;
  const parts = isList(contents) ? contents.map((part) => inside(part, "message_content")) : undefined;
  const said = content ?? parts;
  return {
    ...others,
    ...(said !== undefined && { content: said }),
    ...(isList(calls) && {
      tool_calls: calls.map((call) => {
        const plain = inside(call, "tool_call");
        const asked = isObject(plain) ? plain["function"] : undefined;
        return isObject(plain) && isObject(asked) ? callOf(plain["id"], asked["name"], asked["arguments"]) : plain;
      }),
    }),
  };
};
