import type { Json, JsonObject } from "../domain/json.ts";
import { callOf, joinedTexts, onlyText, toolMessage } from "./chat-message.ts";
import { messagesOfParts, type MessagePart } from "./message-parts.ts";
import { isList, isObject, structured } from "./reader.ts";

const textOf = (part: JsonObject): string | null => {
  const text = part["content"] ?? part["text"];
  return typeof text === "string" ? text : null;
};

const callPart = ({ id, name, arguments: given, ...others }: JsonObject): MessagePart => ({
  type: "call",
  call: callOf(id, name, given, others),
});

const resultPart = ({ id, response, result, ...others }: JsonObject): MessagePart => ({
  type: "result",
  message: toolMessage(id, response ?? result, others),
});

const genAiPart = (part: Json): MessagePart => {
  if (!isObject(part)) return { type: "other", part };
  const { type, ...fields } = part;
  if (type === "tool_call") return callPart(fields);
  if (type === "tool_call_response") return resultPart(fields);
  const { content, text = content, ...others } = fields;
  const said = onlyText({ ...others, ...(text !== undefined && { text }) });
  return (type === "text" || type === "reasoning") && said !== null ? { type, text: said } : { type: "other", part };
};

const finished = (reason: Json | undefined): boolean => typeof reason === "string" && !reason.startsWith("tool");

/**
 * Messages of the GenAI conventions as chat messages; null when it is no list of messages.
 *
 * @param ofAgent what an agent put out in the end: the calls in it have been answered.
 */
export const messagesOfGenAi = (value: Json, ofAgent = false): readonly JsonObject[] | null => {
  if (!isList(value) || value.length === 0 || !value.every(isObject)) return null;
  return value.flatMap((message) => {
    const { role, parts, ...others } = message;
    if (!isList(parts)) return [message];
    return messagesOfParts(role ?? "user", parts.map(genAiPart), others, ofAgent && finished(others["finish_reason"]));
  });
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
  // A message of calls alone has no content, which some wrote as text.
  const silent = others["role"] === "assistant" && (content === "" || content === "null");
  return {
    ...others,
    ...(content !== undefined && !silent && { content: joinedTexts(structured(content)) }),
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
  const said = content ?? (parts === undefined ? undefined : joinedTexts(parts));
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
