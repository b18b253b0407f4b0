import type { Json } from "./json.ts";
import { isShortestForm } from "./number-text.ts";

/**
 * Matches JSON texts that may contain a number which a double cannot reproduce. A match inside a string only costs
 * time.
 */
const inexactNumberHint = /[\d.]{16}|\d[eE][+-]?\d|(?:^|[:,[])(?:-0|-?\d+\.\d*0)(?:[,}\]]|$)/;

type Source = { readonly source?: string };

const keepNumbers = (_key: string, value: unknown, context?: Source): unknown =>
  typeof value === "number" && context?.source !== undefined && !isShortestForm(context.source)
    ? JSON.rawJSON(context.source)
    : value;

/** Parses JSON written by this service without changing the digits of its numbers. @throws SyntaxError */
export const parseLossless = (text: string): Json => {
  const value: Json = inexactNumberHint.test(text) ? JSON.parse(text, keepNumbers) : JSON.parse(text);
  return value;
};
