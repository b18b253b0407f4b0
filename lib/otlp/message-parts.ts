import type { Json, JsonObject } from "../domain/json.ts";
import { withoutEmpty } from "./chat-message.ts";

/** A part of a message, whichever convention wrote it. */
export type MessagePart =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | { readonly type: "call"; readonly call: JsonObject }
  | { readonly type: "result"; readonly message: JsonObject }
  | { readonly type: "other"; readonly part: Json };

const textsOf = (parts: readonly MessagePart[], type: "text" | "reasoning"): string | null => {
  const texts = parts.flatMap((part) => (part.type === type ? [part.text] : []));
  return texts.length === 0 ? null : texts.join("\n");
};

const contentOf = (parts: readonly MessagePart[]): Json => {
  if (!parts.some(({ type }) => type === "other")) return textsOf(parts, "text");
  return parts.flatMap((part): readonly Json[] => {
    if (part.type === "other") return [part.part];
    return part.type === "text" ? [{ type: "text", text: part.text }] : [];
  });
};

const messageOf = (role: Json, parts: readonly MessagePart[], others: JsonObject): JsonObject =>
  withoutEmpty({
    role,
    reasoning: textsOf(parts, "reasoning"),
    content: contentOf(parts),
    tool_calls: parts.flatMap((part) => (part.type === "call" ? [part.call] : [])),
    ...others,
  });

/**
 * A message made of parts as chat messages: what tools answered are messages of their own, after the calls and before what
 * was said last.
 *
 * @param answered the calls had their answers before the text was said, also where the answers are not in the message: so
 *   with an agent's output, in which all its calls stand.
 */
export const messagesOfParts = (
  role: Json,
  parts: readonly MessagePart[],
  others: JsonObject,
  answered = false,
): readonly JsonObject[] => {
  const [only] = parts;
  if (parts.length === 1 && only?.type === "text") return [withoutEmpty({ role, content: only.text, ...others })];
  const calls = parts.filter(({ type }) => type === "call");
  const firstResult = parts.findIndex(({ type }) => type === "result");
  const isSpoken = ({ type }: MessagePart): boolean => type !== "call" && type !== "result";
  const before = (firstResult < 0 ? parts : parts.slice(0, firstResult)).filter(isSpoken);
  const after = firstResult < 0 ? [] : parts.slice(firstResult).filter(isSpoken);
  if (firstResult < 0 && !(answered && calls.length > 0 && before.length > 0)) return [messageOf(role, parts, others)];
  // Some write text, calls and answers in this order, whatever the order was: the text is then what was said last.
  const saidLast = after.length === 0 && calls.length > 0 ? before : after;
  const saidFirst = saidLast === before ? calls : [...before, ...calls];
  return [
    ...(saidFirst.length > 0 ? [messageOf(role, saidFirst, saidLast.length > 0 ? {} : others)] : []),
    ...parts.flatMap((part) => (part.type === "result" ? [part.message] : [])),
    ...(saidLast.length > 0 ? [messageOf(role, saidLast, others)] : []),
  ];
};
