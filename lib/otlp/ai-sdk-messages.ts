import type { Json, JsonObject } from "../domain/json.ts";
import { callOf, onlyText, toolMessage } from "./chat-message.ts";
import { messagesOfParts, type MessagePart } from "./message-parts.ts";
import { isList, isObject } from "./reader.ts";

/** What a tool put out, out of the wrapping that says whether it is text or JSON; an error stays in its own. */
const answerOf = (output: Json | undefined): Json | undefined => {
  if (!isObject(output)) return output;
  const { type, value, ...others } = output;
  const wrapped = (type === "text" || type === "json") && Object.keys(others).length === 0;
  return wrapped ? (value ?? null) : output;
};

/** A call of a tool as Vercel's AI SDK writes it, `args` before its version 5. */
export const aiSdkCall = (call: JsonObject): JsonObject => {
  const { type: _, toolCallId, toolName, args, input = args, ...others } = call;
  return callOf(toolCallId, toolName, input, others);
};

const resultPart = ({ toolCallId, toolName, result, output = result, ...others }: JsonObject): MessagePart => ({
  type: "result",
  message: toolMessage(toolCallId, answerOf(output), { ...(toolName !== undefined && { name: toolName }), ...others }),
});

const partOf = (part: Json): MessagePart => {
  if (!isObject(part)) return { type: "other", part };
  const { type, ...fields } = part;
  if (type === "tool-call") return { type: "call", call: aiSdkCall(fields) };
  if (type === "tool-result") return resultPart(fields);
  const text = type === "text" || type === "reasoning" ? onlyText(fields) : null;
  return (type === "text" || type === "reasoning") && text !== null ? { type, text } : { type: "other", part };
};

/** Messages of Vercel's AI SDK as chat messages; what is no list of messages stays as it is. */
export const messagesOfAiSdk = (value: Json): Json => {
  if (!isList(value) || !value.every(isObject)) return value;
  return value.flatMap((message) => {
    const { role, content, ...others } = message;
    return isList(content) ? messagesOfParts(role ?? "user", content.map(partOf), others) : [message];
  });
};
