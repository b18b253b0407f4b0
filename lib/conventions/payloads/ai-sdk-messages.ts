import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { toolCall, onlyText, toolMessage } from "./chat-message.ts";
import { messagesOfParts, type MessagePart } from "./message-parts.ts";
import { isList } from "../attributes/reader.ts";

/** Unwraps the output of a tool from `{type: "text" | "json", value}`; an output of any other type, such as an error, is returned unchanged. */
const unwrapOutput = (output: Json | undefined): Json | undefined => {
  if (!isObject(output)) return output;
  const { type, value, ...otherFields } = output;
  const isWrapped = (type === "text" || type === "json") && Object.keys(otherFields).length === 0;
  return isWrapped ? (value ?? null) : output;
};

/** Converts a tool call of Vercel's AI SDK to OpenAI's form. The arguments are in `input`, before version 5 of the SDK in `args`. */
export const aiSdkCall = (call: JsonObject): JsonObject => {
  const { type: _, toolCallId, toolName, args, input = args, ...otherFields } = call;
  return toolCall(toolCallId, toolName, input, otherFields);
};

const resultPart = ({ toolCallId, toolName, result, output = result, ...otherFields }: JsonObject): MessagePart => ({
  type: "result",
  message: toolMessage(toolCallId, unwrapOutput(output), {
    ...(toolName !== undefined && { name: toolName }),
    ...otherFields,
  }),
});

const partOf = (part: Json): MessagePart => {
  if (!isObject(part)) return { type: "other", part };
  const { type, ...fields } = part;
  if (type === "tool-call") return { type: "call", call: aiSdkCall(fields) };
  if (type === "tool-result") return resultPart(fields);
  const text = type === "text" || type === "reasoning" ? onlyText(fields) : null;
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
