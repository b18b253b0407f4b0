import type { APIGatewayProxyEvent } from "aws-lambda";
import { invalid, Refusal } from "../domain/refusal.ts";
import { headerValues } from "./event.ts";
import { screenJson } from "./json-text.ts";

/** Maximum body size of 4 MiB, in bytes after decompression. */
const maxBytes = 4 * 1024 * 1024;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const decode = (body: string): string => {
  try {
    return utf8.decode(Buffer.from(body, "base64"));
  } catch {
    throw invalid(["body", 0], "JSON decode error: the body is not valid UTF-8", "json_invalid");
  }
};

const checkCharset = (event: APIGatewayProxyEvent): void => {
  const type = headerValues(event, "Content-Type")[0] ?? "";
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(type)?.[1]?.toLowerCase() ?? "utf-8";
  if (charset === "utf-8" || charset === "utf8") return;
  throw new Refusal({ kind: "unsupported-media-type", detail: "The body must be JSON in UTF-8." });
};

/** Checks the size of a body. @throws Refusal `too-large` above 4 MiB. */
export const checkSize = (bytes: number): void => {
  if (bytes > maxBytes) throw new Refusal({ kind: "too-large", detail: "The body is larger than 4 MiB." });
};

/** Returns the decoded text of a body. @throws Refusal when the body is empty, too large or not UTF-8. */
const textOf = (event: APIGatewayProxyEvent): string => {
  const text = event.isBase64Encoded ? decode(event.body ?? "") : (event.body ?? "");
  checkSize(Buffer.byteLength(text));
  if (text.trim() === "") throw invalid(["body"], "Field required", "missing");
  return text;
};

/**
 * Prepares the body of an event for the JSON parser: checks size, character set and nesting, and guards the numbers and keys
 * that parsing would change.
 *
 * @param preserved `notation` keeps numbers digit for digit, `value` guards only numbers that a double cannot represent.
 * @param maxContainers maximum number of objects and lists.
 * @returns the body text as received.
 * @throws Refusal `invalid`, `too-large` or `unsupported-media-type`.
 */
export const prepareBody = (
  event: APIGatewayProxyEvent,
  preserved: "notation" | "value",
  maxContainers = Number.POSITIVE_INFINITY,
): string => {
  const text = textOf(event);
  checkCharset(event);
  const { text: guarded, flaw, containers } = screenJson(text, preserved);
  if (containers > maxContainers)
    throw new Refusal({ kind: "too-large", detail: `The body has more than ${maxContainers} objects and lists.` });
  if (flaw !== null) throw invalid(["body", flaw.offset], flaw.msg, flaw.type);
  event.body = guarded;
  event.isBase64Encoded = false;
  return text;
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
