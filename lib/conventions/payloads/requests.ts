import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { withoutEmptyEntries } from "./chat-message.ts";
import { isList } from "../attributes/embedded-json.ts";
import { areMessages, messagesOf } from "./messages.ts";
import { messagePartsOf } from "./parts.ts";

/** A request to a model: its messages, and the model settings. */
export interface ModelRequest {
  readonly messages: readonly JsonObject[];
  readonly settings: JsonObject;
}

/** Converts instructions to a text if they are an object or a list of text parts; any other value is returned unchanged. */
export const instructionText = (value: Json | undefined): Json | null => {
  if (isObject(value)) return instructionText(value["parts"] ?? value["content"] ?? value["text"]);
  if (!isList(value)) return value ?? null;
  const texts = value.flatMap(messagePartsOf).map((part) => (part.type === "text" ? part.text : null));
  return texts.length > 0 && texts.every((text) => text !== null) ? texts.join("\n") : value;
};

/** Prepends instructions as a system message, unless the messages contain a system or developer message. */
export const withInstructions = (
  messages: readonly JsonObject[],
  instructions: Json | null | undefined,
): readonly JsonObject[] => {
  const content = instructions === undefined || instructions === null ? null : instructionText(instructions);
  if (content === null || content === "" || messages.some(({ role }) => role === "system" || role === "developer"))
    return messages;
  return [{ role: "system", content }, ...messages];
};

/**
 * Reads a provider's request: OpenAI's `messages` or `input`, Anthropic's `messages` and `system`, Gemini's `contents`. Null for any
 * other value.
 */
export const requestIn = (value: Json): ModelRequest | null => {
  if (!isObject(value)) return null;
  const { messages, contents, input, system, instructions, systemInstruction, system_instruction, ...settings } = value;
  const conversation = messages ?? contents ?? input;
  const chatMessages =
    typeof conversation === "string"
      ? [{ role: "user", content: conversation }]
      : conversation === undefined
        ? null
        : messagesOf(conversation);
  if (chatMessages === null) return null;
  return {
    messages: withInstructions(chatMessages, system ?? instructions ?? systemInstruction ?? system_instruction),
    settings: withoutEmptyEntries(settings),
  };
};

/** Reads the messages of a chain's or graph's state, and its other entries; null for a state without messages. */
export const graphStateIn = (
  value: Json,
): { readonly messages: readonly JsonObject[]; readonly otherEntries: JsonObject } | null => {
  if (!isObject(value)) return null;
  // LangGraph passes the call to the node of tools beside the messages that contain it.
  const { messages, lg_tool_call: _, ...otherEntries } = value;
  const chatMessages = messages === undefined ? null : messagesOf(messages);
  return chatMessages === null || !areMessages(chatMessages)
    ? null
    : { messages: chatMessages, otherEntries: withoutEmptyEntries(otherEntries) };
};
