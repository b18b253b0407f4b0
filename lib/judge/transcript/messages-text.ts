import type { Json, JsonObject } from "../../domain/json.ts";
import { isObject } from "../question/json-object.ts";
import { jsonText, type ShownTexts } from "./shown-texts.ts";
import { indented, valueText } from "./value-text.ts";

/** A chat message; `role` says who speaks. */
type Message = JsonObject & { readonly role: string };

interface History {
  readonly place: string;
  readonly keys: readonly string[];
}

/** Older histories are not searched: a conversation grows from its latest. */
const searched = 16;

const isMessage = (value: Json): value is Message => isObject(value) && typeof value["role"] === "string";

const areMessages = (value: Json | undefined): value is readonly Message[] =>
  Array.isArray(value) && value.length > 0 && value.every(isMessage);

/** A conversation in a value, and what stands beside it. */
const conversationIn = (value: Json): { readonly messages: readonly Message[]; readonly beside: JsonObject } | null => {
  if (areMessages(value)) return { messages: value, beside: {} };
  if (!isObject(value)) return null;
  const { messages, ...beside } = value;
  return areMessages(messages) ? { messages, beside } : null;
};

const sharedStart = (a: readonly string[], b: readonly string[]): number => {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
};

const messageText = (message: Message, json: string, number: number, here: string, shown: ShownTexts): string => {
  const place = `${here} message ${number}`;
  const head = `[${number}] ${jsonText(message.role).slice(1, -1)}:`;
  const known = shown.placeOfJson(json, place);
  if (known !== null) return `${head} (same as ${known})`;
  const { role: _, content, ...others } = message;
  const parts = content === null || content === undefined ? [] : [valueText(content, place, shown)];
  if (Object.keys(others).length > 0) parts.push(valueText(others, place, shown));
  const text = parts.join("\n");
  return text.includes("\n") ? `${head}\n${indented(text)}` : `${head} ${text}`;
};

/** Renders a span's or trace's input or output; remembers the conversations it showed. */
export type ShowValue = (value: Json, here: string) => string;

/**
 * A renderer that shows every message of a conversation once: an agent sends the whole history with each call, and of that
 * only what is new is shown.
 */
export const valueRenderer = (shown: ShownTexts): ShowValue => {
  const histories: History[] = [];
  return (value, here) => {
    const conversation = conversationIn(value);
    if (conversation === null) return valueText(value, here, shown);
    const { messages, beside } = conversation;
    const keys = messages.map(jsonText);
    let again = 0;
    let from = "";
    for (const { place, keys: before } of histories.slice(-searched)) {
      const length = sharedStart(before, keys);
      if (length > 1 && length >= again) [again, from] = [length, place];
    }
    histories.push({ place: here, keys });
    const lines = again === 0 ? [] : [`[1-${again}] (same as ${from} messages 1-${again})`];
    for (const [index, message] of messages.entries()) {
      if (index >= again) lines.push(messageText(message, keys[index] ?? "", index + 1, here, shown));
    }
    if (Object.keys(beside).length > 0) lines.push(valueText(beside, here, shown));
    return lines.join("\n");
  };
};
