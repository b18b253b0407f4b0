import { isObject, type Json, type JsonObject } from "../../domain/json.ts";

/** The first `limit` characters of a text (UTF-16 units), never half a code point, with an ellipsis where it was cut. */
export const clip = (text: string, limit: number): string => {
  const whole = text.toWellFormed();
  if (whole.length <= limit) return whole;
  const end = Math.max(0, limit - 1);
  const splits = (whole.codePointAt(end - 1) ?? 0) > 0xffff;
  return `${whole.slice(0, splits ? end - 1 : end)}…`;
};

const shortenedObject = (value: JsonObject, text: number, items: number): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item, text, items)]));

const shortened = (value: Json, text: number, items: number): Json => {
  if (typeof value === "string") return clip(value, text);
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.slice(0, items).map((item: Json) => shortened(item, text, items));
  return isObject(value) ? shortenedObject(value, text, items) : value;
};

/** Lengths of texts and lists, tried until everything fits. */
const sizes = [
  [4000, 100],
  [2000, 100],
  [1000, 50],
  [500, 40],
  [200, 40],
  [100, 20],
  [40, 10],
] as const;

/** Shortens texts and lists, harder and harder, until the JSON has at most `bytes` bytes of UTF-8; nothing is left if even that does not help. */
export const fitted = (value: JsonObject, bytes: number): JsonObject => {
  for (const [text, items] of sizes) {
    const candidate = shortenedObject(value, text, items);
    if (Buffer.byteLength(JSON.stringify(candidate)) <= bytes) return candidate;
  }
  return {};
};
