import type { Json, JsonObject } from "../../domain/json.ts";
import { isList } from "../attributes/embedded-json.ts";
import { withoutEmptyEntries } from "./chat-message.ts";

/** A part of a message's content, converted from any convention. */
export type MessagePart =
  | {
      readonly type: "text" | "reasoning";
      readonly text: string;
      /** Fields beside the text, such as citations; they become fields of the message. */
      readonly otherFields?: JsonObject;
    }
  | { readonly type: "call"; readonly call: JsonObject }
  | { readonly type: "result"; readonly message: JsonObject }
  | { readonly type: "other"; readonly part: Json };

/** Joins two texts: as they are if the second one continues the first, as sentences with citations of their own do, else by lines. */
const joined = (before: string, text: string): string => before + (/^\s/u.test(text) ? "" : "\n") + text;

const textsOf = (parts: readonly MessagePart[], type: "text" | "reasoning"): string | null => {
  const texts = parts.flatMap((part) => (part.type === type ? [part.text] : []));
  return texts.length === 0 ? null : texts.reduce(joined);
};

const contentOf = (parts: readonly MessagePart[]): Json => {
  if (!parts.some(({ type }) => type === "other")) return textsOf(parts, "text");
  return parts.flatMap((part): readonly Json[] => {
    if (part.type === "other") return [part.part];
    return part.type === "text" ? [{ type: "text", text: part.text }] : [];
  });
};

/** Returns the fields beside the texts of parts; those that are lists, such as citations, are joined. */
const fieldsBeside = (parts: readonly MessagePart[]): JsonObject => {
  const fields: Record<string, Json> = {};
  for (const part of parts)
    for (const [key, value] of Object.entries(("otherFields" in part && part.otherFields) || {})) {
      const before = fields[key];
      fields[key] = isList(before) && isList(value) ? [...before, ...value] : (before ?? value);
    }
  return fields;
};

const messageOf = (role: Json, parts: readonly MessagePart[], otherFields: JsonObject): JsonObject =>
  withoutEmptyEntries({
    ...fieldsBeside(parts),
    role,
    reasoning: textsOf(parts, "reasoning"),
    content: contentOf(parts),
    tool_calls: parts.flatMap((part) => (part.type === "call" ? [part.call] : [])),
    ...otherFields,
  });

/**
 * Converts a message of parts to chat messages. Tool results become separate messages after the tool calls and before the final
 * text.
 *
 * @param callsAreAnswered true if the text was written after the tool calls had results, although the message lacks the results; so it
 *   is in the output of an agent.
 */
export const messagesOfParts = (
  role: Json,
  parts: readonly MessagePart[],
  otherFields: JsonObject,
  callsAreAnswered = false,
): readonly JsonObject[] => {
  const calls = parts.filter(({ type }) => type === "call");
  const firstResult = parts.findIndex(({ type }) => type === "result");
  const isContent = ({ type }: MessagePart): boolean => type !== "call" && type !== "result";
  const before = (firstResult < 0 ? parts : parts.slice(0, firstResult)).filter(isContent);
  const after = firstResult < 0 ? [] : parts.slice(firstResult).filter(isContent);
  if (firstResult < 0 && !(callsAreAnswered && calls.length > 0 && before.length > 0))
    return [messageOf(role, parts, otherFields)];
  // Some instrumentations always write text, calls and results in this order: the text is then the final answer after the results.
  const lastParts = after.length === 0 && calls.length > 0 ? before : after;
  const firstParts = lastParts === before ? calls : [...before, ...calls];
  return [
    ...(firstParts.length > 0 ? [messageOf(role, firstParts, lastParts.length > 0 ? {} : otherFields)] : []),
    ...parts.flatMap((part) => (part.type === "result" ? [part.message] : [])),
    ...(lastParts.length > 0 ? [messageOf(role, lastParts, otherFields)] : []),
  ];
};
