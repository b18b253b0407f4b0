import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { jsonText, type ShownTexts } from "./shown-texts.ts";

/** A value up to about this long stands on one line as JSON. */
const oneLine = 100;
/** Deeper values stand as JSON: the renderer recurses. */
const deepest = 40;

const continued = (text: string): string => text.replaceAll("\n", "\n ");

/** Moves all lines of a text in by a space: a tenth of a transcript would be indentation with two. */
export const indented = (text: string): string => ` ${continued(text)}`;

const labelled = (label: string, text: string): string =>
  text.includes("\n") ? `${label}\n${indented(text)}` : `${label} ${text}`;

/** What is left of `room` characters after the value, negative as soon as it does not fit. */
const roomAfter = (value: Json, room: number): number => {
  if (typeof value === "string") return room - value.length - 3;
  if (typeof value !== "object" || value === null) return room - 6;
  let left = room - 2;
  for (const [key, entry] of Object.entries(value)) {
    if (left < 0) return left;
    left = roomAfter(entry, left - key.length);
  }
  return left;
};

/** What has been shown so far, and what begins the lines of the transcript's own. */
interface Showing {
  readonly shown: ShownTexts;
  readonly mark: string;
}

/** No text of a trace can know the code; one that has it all the same does not begin a line with it. */
const withoutMark = (text: string, mark: string): string => text.replaceAll(mark.trim(), "[code]");

/** A value as a person would read it: strings as they are, objects as `key: value` lines, short values as JSON on one line. */
const plainText = (value: Json, mark: string, depth = 0): string => {
  if (typeof value === "string") return withoutMark(value, mark);
  if (typeof value !== "object" || value === null) return jsonText(value);
  if (depth >= deepest || roomAfter(value, oneLine) >= 0) return withoutMark(jsonText(value), mark);
  if (isObject(value)) {
    return Object.entries(value)
      .map(([key, entry]) => labelled(`${withoutMark(key, mark)}:`, plainText(entry, mark, depth + 1)))
      .join("\n");
  }
  if (!Array.isArray(value)) return withoutMark(jsonText(value), mark);
  return value.map((item: Json) => `- ${continued(plainText(item, mark, depth + 1))}`).join("\n");
};

/**
 * The same, of a value that is all there is at its place or all that a message says: one that was shown before as a whole is
 * named by its place.
 *
 * @param here null: there is more at its place.
 */
const valueText = (value: Json, here: string | null, { shown, mark }: Showing): string => {
  const isText = typeof value === "string";
  const place = isText
    ? shown.place(value, here)
    : typeof value === "object"
      ? shown.placeOfJson(jsonText(value), here)
      : null;
  return place === null ? plainText(value, mark) : `(same as ${place})`;
};

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

/** Reasons for which a reply ends that say no more than the reply. */
const usualReasons = new Set([
  "STOP",
  "completed",
  "end_turn",
  "function_call",
  "stop",
  "tool-calls",
  "tool_call",
  "tool_calls",
  "tool_use",
]);

const withoutUsualReason = (message: Message): Message => {
  const { finish_reason: reason, ...others } = message;
  return typeof reason === "string" && usualReasons.has(reason) ? { ...others, role: message.role } : message;
};

const sharedStart = (a: readonly string[], b: readonly string[]): number => {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
};

const messageText = (message: Message, json: string, number: number, here: string, showing: Showing): string => {
  const { shown, mark } = showing;
  const place = `${here} message ${number}`;
  const head = `${mark}[${number}] ${jsonText(message.role).slice(1, -1)}:`;
  const known = shown.placeOfJson(json, place);
  if (known !== null) return `${head} (same as ${known})`;
  const { role: _, content, ...others } = message;
  const isAll = Object.keys(others).length === 0;
  const parts = content === null || content === undefined ? [] : [valueText(content, isAll ? place : null, showing)];
  if (!isAll) parts.push(plainText(others, mark));
  const text = parts.join("\n");
  return text.includes("\n") ? `${head}\n${indented(text)}` : `${head} ${text}`;
};

/** Renders a span's or trace's input or output; remembers the conversations it showed. */
export type ShowValue = (value: Json, here: string) => string;

/**
 * A renderer that shows every message of a conversation once: an agent sends the whole history with each call, and of that
 * only what is new is shown.
 *
 * @param mark begins the line of each message.
 */
export const valueRenderer = (shown: ShownTexts, mark: string): ShowValue => {
  const histories: History[] = [];
  const showing = { shown, mark };
  return (value, here) => {
    const conversation = conversationIn(value);
    if (conversation === null) return valueText(value, here, showing);
    const { beside } = conversation;
    const messages = conversation.messages.map(withoutUsualReason);
    const keys = messages.map(jsonText);
    let again = 0;
    let from = "";
    for (const { place, keys: before } of histories.slice(-searched)) {
      const length = sharedStart(before, keys);
      if (length > 1 && length >= again) [again, from] = [length, place];
    }
    histories.push({ place: here, keys });
    const lines = again === 0 ? [] : [`${mark}[1-${again}] (same as ${from} messages 1-${again})`];
    for (const [index, message] of messages.entries()) {
      if (index >= again) lines.push(messageText(message, keys[index] ?? "", index + 1, here, showing));
    }
    if (Object.keys(beside).length > 0) lines.push(plainText(beside, mark));
    return lines.join("\n");
  };
};
