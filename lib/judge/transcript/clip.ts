import { isObject, type Json, type JsonObject } from "../../domain/json.ts";

/** Cuts a text to `limit` UTF-16 units, never inside a code point, and ends a cut text with an ellipsis. */
export const clip = (text: string, limit: number): string => {
  const wellFormed = text.toWellFormed();
  if (wellFormed.length <= limit) return wellFormed;
  const end = Math.max(0, limit - 1);
  const splitsCodePoint = (wellFormed.codePointAt(end - 1) ?? 0) > 0xffff;
  return `${wellFormed.slice(0, splitsCodePoint ? end - 1 : end)}…`;
};

const shortenObject = (value: JsonObject, text: number, items: number): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortenValue(item, text, items)]));

const shortenValue = (value: Json, text: number, items: number): Json => {
  if (typeof value === "string") return clip(value, text);
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.slice(0, items).map((item: Json) => shortenValue(item, text, items));
  return isObject(value) ? shortenObject(value, text, items) : value;
};

/** Maximum lengths of texts and arrays, applied in this order until the JSON fits. */
const sizes = [
  [4000, 100],
  [2000, 100],
  [1000, 50],
  [500, 40],
  [200, 40],
  [100, 20],
  [40, 10],
] as const;

/**
 * Shortens texts and arrays until the JSON has at most `bytes` bytes of UTF-8; returns {} if the smallest lengths do not fit.
 */
export const fitToBytes = (value: JsonObject, bytes: number): JsonObject => {
  for (const [text, items] of sizes) {
    const candidate = shortenObject(value, text, items);
    if (Buffer.byteLength(JSON.stringify(candidate)) <= bytes) return candidate;
  }
  return {};
};
