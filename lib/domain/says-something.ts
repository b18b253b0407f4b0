import { isObject, type Json } from "./json.ts";

/** Fields that hold what a message, its parts or a model's reply say. */
const contentKeys = ["content", "text", "parts", "message", "messages", "choices"];

/** Fields beside them that only name or measure a message or reply. */
const envelopeKeys = new Set(
  (
    "role type id name index object created model usage finish_reason stop_reason logprobs annotations example " +
    "additional_kwargs response_metadata usage_metadata"
  ).split(" "),
);

/** Matches a character that a reader sees. */
const visible = /[^\s\p{Default_Ignorable_Code_Point}]/u;

/** Max characters of a text that is read as JSON, and max depth that is read; more counts as content. */
const [maxJsonLength, maxDepth] = [2000, 40] as const;

const jsonOf = (text: string): Json => {
  if (text.length > maxJsonLength || !/^[[{"]/u.test(text)) return text;
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
};

/**
 * True if an input or output says something: a number, a boolean, or a text of more than spaces and invisible characters, also
 * within lists and objects and in JSON in a text. A message says what its content says, not its role or id.
 *
 * @example saysSomething({ messages: [{ role: "assistant", content: " " }] }) // false
 */
export const saysSomething = (value: Json, depth = 0): boolean => {
  if (value === null) return false;
  if (depth > maxDepth) return true;
  if (typeof value === "string") {
    const inner = jsonOf(value.trim());
    return typeof inner === "string" ? visible.test(inner) : saysSomething(inner, depth + 1);
  }
  if (Array.isArray(value)) return value.some((item: Json) => saysSomething(item, depth + 1));
  if (!isObject(value)) return true;
  const isMessage = contentKeys.some((key) => Object.hasOwn(value, key));
  return Object.entries(value).some(
    ([key, item]) => !(isMessage && envelopeKeys.has(key)) && saysSomething(item, depth + 1),
  );
};
