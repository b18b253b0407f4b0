import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { toolCall, onlyText, toolMessage, withoutProviderFields } from "./chat-message.ts";
import { messagesOfParts, type MessagePart } from "./message-parts.ts";
import { isList } from "../attributes/embedded-json.ts";

/** Unwraps the output of a tool from `{type: "text" | "json", value}`; an output of any other type, such as an error, is returned unchanged. */
const unwrapOutput = (output: Json | undefined): Json | undefined => {
  if (!isObject(output)) return output;
  const { type, value, ...otherFields } = output;
  const isWrapped = (type === "text" || type === "json") && Object.keys(otherFields).length === 0;
  return isWrapped ? (value ?? null) : output;
};

/** Converts a tool call of Vercel's AI SDK to OpenAI's form. The arguments are in `input`, before version 5 of the SDK in `args`, in Mastra's chunks in `toolInput`. */
export const aiSdkCall = (call: JsonObject): JsonObject => {
  const { type: _, toolCallId, toolName, args, toolInput = args, input = toolInput, ...otherFields } = call;
  return toolCall(toolCallId, toolName, input, withoutProviderFields(otherFields));
};

const resultPart = ({ toolCallId, toolName, result, output = result, ...otherFields }: JsonObject): MessagePart => ({
  type: "result",
  message: toolMessage(toolCallId, unwrapOutput(output), {
    ...(toolName !== undefined && { name: toolName }),
    ...withoutProviderFields(otherFields),
  }),
});

const partOf = (part: Json): MessagePart => {
  if (!isObject(part)) return { type: "other", part };
  const { type, ...fields } = part;
  if (type === "tool-call") return { type: "call", call: aiSdkCall(fields) };
  if (type === "tool-result") return resultPart(fields);
  const text = type === "text" || type === "reasoning" ? onlyText(withoutProviderFields(fields)) : null;
  return (type === "text" || type === "reasoning") && text !== null ? { type, text } : { type: "other", part };
};

/** Converts messages of Vercel's AI SDK to chat messages; a value that is not a list of messages is returned unchanged. */
export const messagesOfAiSdk = (value: Json): Json => {
  if (!isList(value) || !value.every(isObject)) return value;
  return value.flatMap((message) => {
    const { role, content, ...otherFields } = message;
    return isList(content) ? messagesOfParts(role ?? "user", content.map(partOf), otherFields) : [message];
  });
};

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
