import type { Json } from "./json.ts";
import { survivesDouble } from "./number-text.ts";

/** Texts in which a number may stand that a double changes; strings may match too, which costs time only. */
const suspicious = /[\d.]{16}|\d[eE][+-]?\d/;

type Source = { readonly source?: string };

const keepNumbers = (_key: string, value: unknown, context?: Source): unknown =>
  typeof value === "number" && context?.source !== undefined && !survivesDouble(context.source)
    ? JSON.rawJSON(context.source)
    : value;

/** Parses JSON that we wrote; numbers a double would change stay as they were written. @throws SyntaxError */
export const parseLossless = (text: string): Json => {
  const value: Json = suspicious.test(text) ? JSON.parse(text, keepNumbers) : JSON.parse(text);
  return value;
};
