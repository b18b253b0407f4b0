import type { Json, JsonObject } from "../../domain/json.ts";
import { withoutEmpty } from "../chat-message.ts";
import { isList, isObject } from "../reader.ts";
import { areMessages, messagesOf } from "./messages.ts";
import { partsOf } from "./parts.ts";

/** What a model was asked, and the settings beside it. */
export interface Request {
  readonly messages: readonly JsonObject[];
  readonly settings: JsonObject;
}

/** Instructions as a text: some are a list of parts. */
export const instructionText = (value: Json | undefined): Json | null => {
  if (isObject(value)) return instructionText(value["parts"] ?? value["content"] ?? value["text"]);
  if (!isList(value)) return value ?? null;
  const texts = value.flatMap(partsOf).map((part) => (part.type === "text" ? part.text : null));
  return texts.length > 0 && texts.every((text) => text !== null) ? texts.join("\n") : value;
};

/** Messages after the instructions, unless they begin with some. */
export const withInstructions = (
  messages: readonly JsonObject[],
  given: Json | null | undefined,
): readonly JsonObject[] => {
  const content = given === undefined || given === null ? null : instructionText(given);
  if (content === null || content === "" || messages.some(({ role }) => role === "system" || role === "developer"))
    return messages;
  return [{ role: "system", content }, ...messages];
};

/**
 * What is asked of a model in the words of its provider: OpenAI's `messages` and `input`, Anthropic's `system`, Gemini's
 * `contents`. Null for what is no such request.
 */
export const requestIn = (value: Json): Request | null => {
  if (!isObject(value)) return null;
  const { messages, contents, input, system, instructions, systemInstruction, system_instruction, ...settings } = value;
  const asked = messages ?? contents ?? input;
  const said =
    typeof asked === "string" ? [{ role: "user", content: asked }] : asked === undefined ? null : messagesOf(asked);
  if (said === null) return null;
  return {
    messages: withInstructions(said, system ?? instructions ?? systemInstruction ?? system_instruction),
    settings: withoutEmpty(settings),
  };
};

/** The conversation that a chain or a graph was given in its state, and what stands beside it; null where there is none. */
export const stateIn = (
  value: Json,
): { readonly messages: readonly JsonObject[]; readonly beside: JsonObject } | null => {
  if (!isObject(value)) return null;
  const { messages, ...beside } = value;
  const said = messages === undefined ? null : messagesOf(messages);
  return said === null || !areMessages(said) ? null : { messages: said, beside: withoutEmpty(beside) };
};
