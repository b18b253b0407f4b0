import { randomBytes } from "node:crypto";
import type { APIGatewayProxyEvent } from "aws-lambda";
import type { BodyReading } from "../contract/route.ts";
import { endOfString, isShortestForm, fitsDouble } from "../domain/json.ts";
import { invalid, Refusal } from "../domain/refusal.ts";
import { maxObjectKeys } from "../domain/traces/limits.ts";
import type { ViolationType } from "../domain/violation-types.ts";
import { headerValues } from "./event.ts";

/** Maximum nesting of a body: 100 levels of a free-form field and 5 levels of the body around it. */
const maxDepth = 105;

/** Nesting of a foreign body from which on lists and objects become texts: less than the 100 levels that can be stored. */
const maxForeignDepth = 85;

/** Prefix of guarded keys and numbers; random, so that a client cannot forge it. */
const guard = `assay-${randomBytes(16).toString("hex")}:`;

const guardedKeys = new Set(["__proto__", "constructor"]);
/** First characters of the literals of guarded keys; any character may be escaped. */
const guardedStarts = new Set(["_", "c", "\\"]);
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const notFinite = /-?(?:NaN|Infinity)/y;
const gap = /[\t\n\r ]*/y;

/**
 * Maximum number of values in the JSON texts of a body, in which empty objects, empty lists and guarded numbers count twice. While they are
 * parsed, these take at most 200 MB of the 512 MB of a function; 4 MiB of vectors with seven decimals a number have fewer.
 */
const maxValues = 500_000;

/** Number of values in the JSON texts of one body that have been scanned. */
interface ValueCount {
  values: number;
}

/** Adds a value to a count. @throws Refusal `too-large` above the maximum. */
const addValue = (count: ValueCount): void => {
  count.values += 1;
  if (count.values <= maxValues) return;
  const rule = "a number that is kept digit for digit, such as 1.0, counts twice";
  throw new Refusal({ kind: "too-large", detail: `The body has more than ${maxValues} values in it; ${rule}.` });
};

type Flaw = { readonly offset: number; readonly msg: string; readonly type: ViolationType };

/** Result of the scan of a JSON text. */
interface ScreenedText {
  /** Text in which every number and key that `JSON.parse` would alter carries the guard prefix. */
  readonly text: string;
  readonly flaw: Flaw | null;
}

/** Returns the offset behind a list or an object; the length of a text that ends within it. */
const endOfContainer = (text: string, start: number): number => {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) index = endOfString(text, index);
    else if (code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x5d || code === 0x7d) depth -= 1;
    if (depth === 0) return index + 1;
  }
  return text.length;
};

const nextTokenIsColon = (text: string, from: number): boolean => {
  gap.lastIndex = from;
  gap.test(text);
  return text[gap.lastIndex] === ":";
};

const decoded = (literal: string): string | null => {
  if (!literal.includes("\\")) return literal.slice(1, -1);
  try {
    return String(JSON.parse(literal));
  } catch {
    // Malformed: the JSON parser reports the error with its offset.
    return null;
  }
};

/**
 * Scans a JSON text before parsing: bounds the number of values, and guards numbers whose notation or value parsing would change and keys
 * that would reach a prototype (`__proto__`, `constructor`). The JSON body parser refuses such keys, and does not pass the source text of
 * a number on to its reviver.
 *
 * Nesting that is too deep and numbers that are not finite are flaws of a `strict` text. In `telemetry` they stay in the value, without
 * the content of what is too deep, so that the one item which has them can be refused; in a `foreign` text they become texts.
 *
 * @param count values of the body's texts so far, to which those of the text are added.
 * @throws Refusal `too-large`.
 */
export const screenJson = (
  text: string,
  reading: BodyReading = "strict",
  count: ValueCount = { values: 0 },
  levels = reading === "foreign" ? maxForeignDepth : maxDepth,
): ScreenedText => {
  const survives = reading === "foreign" ? fitsDouble : isShortestForm;
  const isChanged = (literal: string): boolean => literal.length > 1 && !survives(literal);
  const pieces: string[] = [];
  let copied = 0;
  let depth = 0;
  const replace = (from: number, to: number, replacement: string): void => {
    pieces.push(text.slice(copied, from), replacement);
    copied = to;
  };
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) {
      const end = endOfString(text, index);
      if (end - index < 80 && guardedStarts.has(text[index + 1] ?? "") && nextTokenIsColon(text, end + 1)) {
        const key = decoded(text.slice(index, end + 1));
        if (key !== null && guardedKeys.has(key)) replace(index, end + 1, JSON.stringify(guard + key));
      }
      index = end;
    } else if (code === 0x5b || code === 0x7b) {
      addValue(count);
      if (depth === levels) {
        if (reading === "strict")
          return { text, flaw: { offset: index, msg: "Input is nested too deeply", type: "json_too_deep" } };
        const end = endOfContainer(text, index);
        replace(index, end, reading === "foreign" ? JSON.stringify(text.slice(index, end)) : "[]");
        index = end - 1;
      } else depth += 1;
    } else if (code === 0x5d || code === 0x7d) {
      depth -= 1;
    } else if (code === 0x2c) {
      addValue(count);
    } else if (code === 0x2d || code === 0x49 || code === 0x4e || (code >= 0x30 && code <= 0x39)) {
      number.lastIndex = index;
      notFinite.lastIndex = index;
      const literal = (number.exec(text) ?? (reading === "foreign" ? notFinite.exec(text) : null))?.[0];
      if (literal === undefined) continue;
      const isFinite = Number.isFinite(Number(literal));
      if (!isFinite && reading === "strict")
        return { text, flaw: { offset: index, msg: "Number is not finite", type: "json_not_finite" } };
      const end = index + literal.length;
      // A number in the place of a key is not guarded: quoting would turn malformed JSON into valid JSON.
      if (isChanged(literal) && !nextTokenIsColon(text, end)) {
        replace(index, end, JSON.stringify(isFinite || reading !== "foreign" ? `${guard}${literal}` : literal));
        addValue(count);
      }
      index += literal.length - 1;
    }
  }
  if (pieces.length === 0) return { text, flaw: null };
  pieces.push(text.slice(copied));
  return { text: pieces.join(""), flaw: null };
};

const withPlainKeys = (value: object, isStrict: boolean): object => {
  const isPlain = (key: string): boolean => !key.startsWith(guard) && (isStrict || key.isWellFormed());
  if (Object.keys(value).every(isPlain)) return value;
  const restored = {};
  for (const [key, child] of Object.entries(value)) {
    const plainKey = key.startsWith(guard) ? key.slice(guard.length) : key;
    Object.defineProperty(restored, isStrict ? plainKey : plainKey.toWellFormed(), {
      value: child,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
  return restored;
};

/**
 * Returns a reviver for `JSON.parse` of a screened text: it restores guarded numbers digit for digit, and guarded keys as plain own
 * properties. Other than in a `strict` text it replaces half a surrogate pair, which cannot be stored: SDKs that shorten texts cut there.
 * In a `foreign` text an object with more keys than can be stored becomes its JSON.
 */
export const reviverOf =
  (reading: BodyReading) =>
  (_key: string, value: unknown): unknown => {
    if (typeof value === "string") {
      if (value.startsWith(guard)) return JSON.rawJSON(value.slice(guard.length));
      return reading === "strict" ? value : value.toWellFormed();
    }
    // DynamoDB stores -0 as 0; with -0 here, each repeated delivery would look like a change.
    if (value === 0) return 0;
    if (typeof value !== "object" || value === null || Array.isArray(value) || JSON.isRawJSON(value)) return value;
    const restored = withPlainKeys(value, reading === "strict");
    return reading === "foreign" && Object.keys(restored).length > maxObjectKeys ? JSON.stringify(restored) : restored;
  };

/** Maximum body size of 4 MiB, in bytes after decompression. */
const maxBytes = 4 * 1024 * 1024;

const decode = (body: string, isStrict: boolean): string => {
  try {
    return new TextDecoder("utf-8", { fatal: isStrict, ignoreBOM: true }).decode(Buffer.from(body, "base64"));
  } catch {
    throw invalid(["body", 0], "JSON decode error: the body is not valid UTF-8", "json_invalid");
  }
};

const checkCharset = (event: APIGatewayProxyEvent): void => {
  const type = headerValues(event, "Content-Type")[0] ?? "";
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1]?.toLowerCase() ?? "utf-8";
  if (charset === "utf-8" || charset === "utf8") return;
  throw new Refusal({ kind: "unsupported-media-type", detail: "The body must be in UTF-8." });
};

/** Checks the size of a body. @throws Refusal `too-large` above 4 MiB. */
export const checkSize = (bytes: number): void => {
  if (bytes > maxBytes) throw new Refusal({ kind: "too-large", detail: "The body is larger than 4 MiB." });
};

/** Returns the decoded text of a body, empty without one. @throws Refusal when the body is too large, or `strict` and not UTF-8. */
export const bodyText = (event: APIGatewayProxyEvent, reading: BodyReading = "strict"): string => {
  const text = event.isBase64Encoded ? decode(event.body ?? "", reading === "strict") : (event.body ?? "");
  checkSize(Buffer.byteLength(text));
  return text;
};

/** Returns the decoded text of a body. @throws Refusal when the body is empty, and those of `bodyText`. */
const requiredText = (event: APIGatewayProxyEvent, reading: BodyReading): string => {
  const text = bodyText(event, reading);
  if (text.trim() === "") throw invalid(["body"], "Field required", "missing");
  return text;
};

/**
 * Prepares the body of an event for the JSON parser: checks size, character set and nesting, and guards the numbers and keys
 * that parsing would change.
 *
 * @param text JSON that was made of a body in another form.
 * @returns the body text as received.
 * @throws Refusal `invalid`, `too-large` or `unsupported-media-type`.
 */
export const prepareBody = (
  event: APIGatewayProxyEvent,
  reading: BodyReading,
  text = requiredText(event, reading),
): string => {
  checkCharset(event);
  const { text: guarded, flaw } = screenJson(text, reading);
  if (flaw !== null) throw invalid(["body", flaw.offset], flaw.msg, flaw.type);
  event.body = guarded;
  event.isBase64Encoded = false;
  return text;
};

/**
 * Returns a parser of the JSON texts in a body of a foreign protocol, in which numbers may have any notation: guarded like a body.
 *
 * @param levels nesting from which on lists and objects become texts.
 * @returns a function of a text; it throws Refusal `invalid` or `too-large`.
 */
export const foreignJsonParser = (levels = maxForeignDepth) => {
  const count = { values: 0 };
  const revive = reviverOf("foreign");
  return (text: string): unknown => {
    const { text: guarded } = screenJson(text, "foreign", count, levels);
    try {
      return JSON.parse(guarded, revive);
    } catch {
      throw invalid(["body"], "JSON decode error");
    }
  };
};

/** Parses the JSON body of a foreign protocol. @throws the refusals of `prepareBody` and of the parser. */
export const foreignJsonBody = (event: APIGatewayProxyEvent, levels?: number): unknown => {
  const text = requiredText(event, "foreign");
  checkCharset(event);
  return foreignJsonParser(levels)(text);
};

/** Returns the message of the error that `JSON.parse` throws for a text; null if the text is JSON. */
const parserMessage = (text: string): string | null => {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
};

/** Returns the offset of an unknown token, for which V8 reports no position: a binary search for the shortest prefix with the error. */
const unknownTokenOffset = (text: string): number => {
  let [valid, invalid] = [0, text.length];
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >>> 1;
    if (parserMessage(text.slice(0, middle))?.endsWith("is not valid JSON") === true) invalid = middle;
    else valid = middle;
  }
  return valid;
};

/** Returns the offset where a text stops being JSON, in UTF-16 code units. */
export const errorOffset = (text: string): number => {
  const message = parserMessage(text);
  if (message === null) return 0;
  const at = /at position (\d+)/.exec(message)?.[1];
  if (at !== undefined) return Number(at);
  return message.endsWith("is not valid JSON") ? unknownTokenOffset(text) : text.length;
};
