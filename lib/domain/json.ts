/** Any JSON value. Numbers that a double would write otherwise are `JSON.rawJSON` objects and serialize as they were written. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

declare global {
  interface JSON {
    /** An object that serializes as the given number, digit for digit. */
    rawJSON(text: string): { readonly rawJSON: string };
    isRawJSON(value: unknown): value is { readonly rawJSON: string };
  }
}

/** The double nearest to a number that was kept as it was written, never -0; any other value as it is. */
export const toDouble = (value: unknown): unknown => (JSON.isRawJSON(value) ? Number(value.rawJSON) || 0 : value);

/** Whether a value is an object with keys; a number that was kept as it was written is none. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
