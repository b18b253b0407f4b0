/**
 * Any JSON value. A number that a double cannot reproduce digit for digit is a `JSON.rawJSON` object and serializes
 * unchanged.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

declare global {
  interface JSON {
    /** Creates an object that serializes as the number `text`, digit for digit. */
    rawJSON(text: string): { readonly rawJSON: string };
    isRawJSON(value: unknown): value is { readonly rawJSON: string };
  }
}

/** Converts a raw JSON number to the nearest double, never -0; other values are returned unchanged. */
export const toDouble = (value: unknown): unknown => (JSON.isRawJSON(value) ? Number(value.rawJSON) || 0 : value);

/** True if a JSON value is an object with keys; raw JSON numbers are not. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

/** Returns the number at a key of an object; 0 without one. */
export const numberAt = (values: JsonObject | null, key: string): number => {
  const value = toDouble(values?.[key] ?? 0);
  return typeof value === "number" ? value : 0;
};
