import { elementsOf, fieldsOf, isAbsent, parseJson, type ReplyFields } from "./reply.ts";

/** Texts of a message that a stream sends in parts. */
const streamedTexts = ["content", "reasoning", "reasoning_content", "refusal"] as const;

/** Start of a server-sent event: a field's name, or the colon of a comment. */
const eventStart = /^\s*(?:data|event|id|retry)?:/u;

/** Joins fields of which a later one that is not empty replaces an earlier one. */
const merged = (parts: readonly ReplyFields[]): ReplyFields =>
  Object.fromEntries(parts.flatMap((part) => Object.entries(part).filter(([, value]) => !isAbsent(value))));

/**
 * Joins the chunks of a chat completion that a server streams although `stream` is false: the texts of the first choice in order, and the
 * last value of every other field. A chunk with an error, or a whole completion, counts as what it is.
 *
 * @returns undefined for a text that is no stream of chunks.
 */
export const streamedReply = (text: string): ReplyFields | undefined => {
  if (!eventStart.test(text)) return undefined;
  const chunks = Array.from(text.matchAll(/^data:([^\n]*)$/gmu), ([, data = ""]) => fieldsOf(parseJson(data)));
  if (isAbsent(chunks)) return undefined;
  const choices = chunks.map((chunk) => fieldsOf(elementsOf(chunk["choices"])[0]));
  const deltas = choices.map(({ delta, message }) => fieldsOf(isAbsent(delta) ? message : delta));
  const texts = streamedTexts.map((name) => {
    const parts = deltas.map((delta) => delta[name]).filter((part) => typeof part === "string");
    return [name, parts.join("")] as const;
  });
  const message = { ...merged(deltas), ...Object.fromEntries(texts.filter(([, joined]) => joined !== "")) };
  return { ...merged(chunks), choices: [{ ...merged(choices), message }] };
};
