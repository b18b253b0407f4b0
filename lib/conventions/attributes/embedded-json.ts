import { parseLossless, type Json } from "../../domain/json.ts";

/** Max depth of JSON parsed from an attribute; below the limit of 100 levels for stored data, as the value is nested in a message. */
export const maxEmbeddedDepth = 80;

const depthOf = (value: Json, limit: number): number => {
  if (typeof value !== "object" || value === null || limit === 0) return 0;
  let maxChildDepth = 0;
  for (const child of Object.values(value)) maxChildDepth = Math.max(maxChildDepth, depthOf(child, limit - 1));
  return maxChildDepth + 1;
};

const parse = (text: string): Json => {
  try {
    const parsed = parseLossless(text);
    if (typeof parsed === "string") {
      const inner = parseEmbeddedJson(parsed);
      return inner === parsed ? text : inner;
    }
    return depthOf(parsed, maxEmbeddedDepth + 1) > maxEmbeddedDepth ? text : parsed;
  } catch {
    // A text that begins like JSON without being JSON stays a text.
    return text;
  }
};

/** Parses a text, or leaves it a text. */
type Parser = (text: string) => Json;

/** The parser of the request of which a span is being converted. Conversions do not wait, so that requests do not mix. */
let current: Parser = parse;

/** Runs `convert`, which must not wait, with a parser made of the usual one. */
export const withParser = <Result>(parserOf: (usual: Parser) => Parser, convert: () => Result): Result => {
  const before = current;
  current = parserOf(parse);
  try {
    return convert();
  } finally {
    current = before;
  }
};

/** Parses a text that contains a JSON object or list, which may be encoded several times; any other value is returned unchanged. */
export const parseEmbeddedJson = (value: Json): Json =>
  typeof value === "string" && /^\s*(?:[[{]|"\s*[[{"\\])/.test(value) ? current(value) : value;

/** True if a value is a JSON list. */
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
