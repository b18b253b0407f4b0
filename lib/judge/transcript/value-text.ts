import { areMessages, messagesOf } from "../../conventions/payloads/messages.ts";
import { type Json, isObject, type JsonObject } from "../../domain/json.ts";

/** Minimum characters of a repeated text that is replaced by a reference; shorter texts are rendered again. */
const minReferredLength = 48;

const nested = "(nested too deep to show)";

/** Returns a value as JSON; a fixed placeholder if it is nested too deep for `JSON.stringify`. */
export const jsonText = (value: Json): string => {
  try {
    return JSON.stringify(value);
  } catch {
    // JSON.stringify is recursive; its RangeError must not fail the judgement.
    return nested;
  }
};

/** Removes the spaces of a JSON text, so that a tool's output is recognised when a later message quotes it as a string. */
const withoutSpaces = (text: string): string => {
  if (!/^\s*[{[]/u.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
};

/** Texts that a transcript has shown so far, each with its location, such as `#3 output` or `user turn 2`. */
export interface ShownTexts {
  /**
   * Returns the location where a whole text was shown before; records the location of a new text and returns null.
   *
   * @param location location of the text; null to record nothing, for a location that also shows other text.
   */
  findOrRecord(text: string, location: string | null): string | null;
  /** Does the same as `findOrRecord` for a value that is passed as JSON without spaces. */
  findOrRecordJson(json: string, location: string | null): string | null;
}

/** Creates the empty record of shown texts of a transcript. */
export const shownTexts = (): ShownTexts => {
  const locations = new Map<string, string>();
  const findOrRecordJson = (json: string, location: string | null): string | null => {
    if (json.length < minReferredLength || json === nested) return null;
    const earlierLocation = locations.get(json);
    if (earlierLocation === undefined && location !== null) locations.set(json, location);
    return earlierLocation ?? null;
  };
  return {
    findOrRecordJson,
    // The unchanged text is tried first: most JSON in strings has no spaces, and parsing is expensive.
    findOrRecord: (text, location) =>
      text.length < minReferredLength ? null : (locations.get(text) ?? findOrRecordJson(withoutSpaces(text), location)),
  };
};

/** Approximate maximum characters of a value that is rendered as JSON on one line. */
const maxLineLength = 100;
/** Maximum nesting depth that is rendered as lines, deeper values become JSON; the renderer is recursive. */
const maxDepth = 40;

const indentContinuation = (text: string): string => text.replaceAll("\n", "\n ");

/** Indents all lines of a text by one space; with two spaces a tenth of a transcript would be indentation. */
export const indent = (text: string): string => ` ${indentContinuation(text)}`;

const labelled = (label: string, text: string): string =>
  text.includes("\n") ? `${label}\n${indent(text)}` : `${label} ${text}`;

/** Subtracts the length of a value's JSON from `room` (characters); stops at a negative result, when the value does not fit. */
const roomAfter = (value: Json, room: number): number => {
  if (typeof value === "string") return room - value.length - 3;
  if (typeof value !== "object" || value === null) return room - 6;
  let remaining = room - 2;
  for (const [key, entry] of Object.entries(value)) {
    if (remaining < 0) return remaining;
    remaining = roomAfter(entry, remaining - key.length);
  }
  return remaining;
};

/** State of rendering a transcript: the texts shown so far, and the code that begins its structural lines. */
interface RenderContext {
  readonly shownTexts: ShownTexts;
  readonly mark: string;
}

/** Replaces the line code in content of a trace, so that no content line begins with it. */
const withoutMark = (text: string, mark: string): string => text.replaceAll(mark.trim(), "[code]");

/** Renders a value readably: strings unchanged, objects as `key: value` lines, short values as JSON on one line. */
const plainText = (value: Json, mark: string, depth = 0): string => {
  if (typeof value === "string") return withoutMark(value, mark);
  if (typeof value !== "object" || value === null) return jsonText(value);
  if (depth >= maxDepth || roomAfter(value, maxLineLength) >= 0) return withoutMark(jsonText(value), mark);
  if (isObject(value)) {
    return Object.entries(value)
      .map(([key, entry]) => labelled(`${withoutMark(key, mark)}:`, plainText(entry, mark, depth + 1)))
      .join("\n");
  }
  if (!Array.isArray(value)) return withoutMark(jsonText(value), mark);
  return value.map((item: Json) => `- ${indentContinuation(plainText(item, mark, depth + 1))}`).join("\n");
};

/**
 * Renders a value, or a reference to its earlier location if the transcript has shown the whole value before.
 *
 * @param here location of the value; null if the location also shows other text.
 */
const valueText = (value: Json, here: string | null, { shownTexts, mark }: RenderContext): string => {
  const isText = typeof value === "string";
  const location = isText
    ? shownTexts.findOrRecord(value, here)
    : typeof value === "object"
      ? shownTexts.findOrRecordJson(jsonText(value), here)
      : null;
  return location === null ? plainText(value, mark) : `(same as ${location})`;
};

/** Messages (`keys`, as JSON) of a conversation that was rendered at a location of the transcript. */
interface History {
  readonly location: string;
  readonly keys: readonly string[];
}

/** Number of most recently rendered conversations that are searched for the beginning of the next conversation. */
const searchedHistories = 16;

/** Converts messages whose content is a list of parts, such as text blocks, so that texts are shown as texts. */
const withTexts = (messages: readonly JsonObject[]): readonly JsonObject[] =>
  messages.flatMap((message) =>
    Array.isArray(message["content"] ?? message["parts"]) ? (messagesOf([message]) ?? [message]) : [message],
  );

/** Returns the messages of a conversation in a value and the other fields of the value; null for other values. */
const conversationIn = (
  value: Json,
): { readonly messages: readonly JsonObject[]; readonly otherFields: JsonObject } | null => {
  if (areMessages(value)) return { messages: withTexts(value), otherFields: {} };
  if (!isObject(value)) return null;
  const { messages, ...otherFields } = value;
  return areMessages(messages) ? { messages: withTexts(messages), otherFields } : null;
};

/** Finish reasons of ordinary replies, which are not shown. */
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

const withoutUsualReason = (message: JsonObject): JsonObject => {
  const { finish_reason: reason, ...otherFields } = message;
  return typeof reason === "string" && usualReasons.has(reason) ? otherFields : message;
};

/** Returns the messages of a conversation (and its other fields) as JSON, or any other value as one JSON text; nothing for null. */
export const messageTexts = (value: Json): readonly string[] => {
  const conversation = conversationIn(value);
  if (conversation === null) return value === null ? [] : [jsonText(value)];
  const { messages, otherFields } = conversation;
  const texts = messages.map((message) => jsonText(withoutUsualReason(message)));
  return Object.keys(otherFields).length === 0 ? texts : [...texts, jsonText(otherFields)];
};

const sharedStart = (a: readonly string[], b: readonly string[]): number => {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
};

const messageText = (
  message: JsonObject,
  json: string,
  number: number,
  here: string,
  context: RenderContext,
): string => {
  const { shownTexts, mark } = context;
  const location = `${here} message ${number}`;
  const head = `${mark}[${number}] ${jsonText(message["role"] ?? "").slice(1, -1)}:`;
  const earlierLocation = shownTexts.findOrRecordJson(json, location);
  if (earlierLocation !== null) return `${head} (same as ${earlierLocation})`;
  const { role: _, content, ...otherFields } = message;
  const hasOnlyContent = Object.keys(otherFields).length === 0;
  const parts =
    content === null || content === undefined ? [] : [valueText(content, hasOnlyContent ? location : null, context)];
  if (!hasOnlyContent) parts.push(plainText(otherFields, mark));
  const text = parts.join("\n");
  return text.includes("\n") ? `${head}\n${indent(text)}` : `${head} ${text}`;
};

/** Renders an input or output of a trace or span, at the location `here` of a transcript; later calls refer to conversations that earlier calls rendered. */
export type RenderValue = (value: Json, here: string) => string;

/**
 * Creates a renderer that shows every message of a conversation once: an agent sends its whole history with each model call,
 * and only the new messages are rendered.
 *
 * @param mark code that begins the line of each message.
 */
export const valueRenderer = (shownTexts: ShownTexts, mark: string): RenderValue => {
  const histories: History[] = [];
  const context = { shownTexts, mark };
  return (value, here) => {
    const conversation = conversationIn(value);
    if (conversation === null) return valueText(value, here, context);
    const { otherFields } = conversation;
    const messages = conversation.messages.map(withoutUsualReason);
    const keys = messages.map(jsonText);
    let sharedCount = 0;
    let from = "";
    for (const { location, keys: earlierKeys } of histories.slice(-searchedHistories)) {
      const length = sharedStart(earlierKeys, keys);
      if (length > 1 && length >= sharedCount) [sharedCount, from] = [length, location];
    }
    histories.push({ location: here, keys });
    const lines = sharedCount === 0 ? [] : [`${mark}[1-${sharedCount}] (same as ${from} messages 1-${sharedCount})`];
    for (const [index, message] of messages.entries()) {
      if (index >= sharedCount) lines.push(messageText(message, keys[index] ?? "", index + 1, here, context));
    }
    if (Object.keys(otherFields).length > 0) lines.push(plainText(otherFields, mark));
    return lines.join("\n");
  };
};
