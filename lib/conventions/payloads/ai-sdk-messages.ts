import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { messagesOfParts, type MessagePart } from "./message-parts.ts";
import { aiSdkCall } from "./parts.ts";
import { isList } from "../attributes/embedded-json.ts";

const textIn = (type: "text" | "reasoning", value: Json | undefined): readonly MessagePart[] => {
  const texts = isList(value) ? value.map((part) => (isObject(part) ? part["text"] : null)) : [value];
  return texts.flatMap((text) => (typeof text === "string" && text !== "" ? [{ type, text }] : []));
};

/**
 * Converts the result of a model call of Vercel's AI SDK (`text`, `reasoning`, `toolCalls`), or a single tool call, to messages; null
 * for any other value.
 *
 * @param areCallsAnswered true if the text was written after the tool calls had results, as that of an agent.
 */
export const replyOfAiSdk = (value: Json, areCallsAnswered = false): readonly JsonObject[] | null => {
  if (!isObject(value)) return null;
  const { text, reasoning, toolName, toolCalls = toolName === undefined ? [] : [value] } = value;
  const calls = isList(toolCalls) ? toolCalls.filter(isObject) : [];
  const parts = [
    ...textIn("reasoning", reasoning),
    ...textIn("text", text),
    ...calls.map((call): MessagePart => ({ type: "call", call: aiSdkCall(call) })),
  ];
  return parts.length === 0 ? null : messagesOfParts("assistant", parts, {}, areCallsAnswered);
};
