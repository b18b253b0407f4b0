import type { Json } from "./json.ts";
import { isAsWritten } from "./number-text.ts";

/** Texts in which a number may stand that a double would write otherwise; strings may match too, which costs time only. */
const suspicious = /[\d.]{16}|\d[eE][+-]?\d|(?:^|[:,[])(?:-0|-?\d+\.\d*0)(?:[,}\]]|$)/;

type Source = { readonly source?: string };

const keepNumbers = (_key: string, value: unknown, context?: Source): unknown =>
  typeof value === "number" && context?.source !== undefined && !isAsWritten(context.source)
    ? JSON.rawJSON(context.source)
    : value;

/** Parses JSON that we wrote; numbers stay as they were written. @throws SyntaxError */
export const parseLossless = (text: string): Json => {
  const value: Json = suspicious.test(text) ? JSON.parse(text, keepNumbers) : JSON.parse(text);
  return value;
};
