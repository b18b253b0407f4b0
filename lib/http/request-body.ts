import type { APIGatewayProxyEvent } from "aws-lambda";
import { invalid, Refusal } from "../domain/refusal.ts";
import { headerValues } from "./event.ts";
import { screenJson } from "./json-text.ts";

/** 4 MiB, counted in bytes after decompression. */
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

/** @throws Refusal `too-large` for more bytes than a body may have. */
export const checkSize = (bytes: number): void => {
  if (bytes > maxBytes) throw new Refusal({ kind: "too-large", detail: "The body is larger than 4 MiB." });
};

/** The text of a body, decoded and measured. @throws Refusal when it is missing, too large or not UTF-8. */
const textOf = (event: APIGatewayProxyEvent): string => {
  const text = event.isBase64Encoded ? decode(event.body ?? "") : (event.body ?? "");
  checkSize(Buffer.byteLength(text));
  if (text.trim() === "") throw invalid(["body"], "Field required", "missing");
  return text;
};

/**
 * Prepares an event's body for the JSON parser: checks its size, character set and nesting, and guards the numbers and
 * keys that parsing would change.
 *
 * @param keeps of numbers: how they were written, or what they are only.
 * @param most objects and lists that it may have.
 * @returns the text as it was sent.
 */
export const prepareBody = (
  event: APIGatewayProxyEvent,
  keeps: "notation" | "value",
  most = Number.POSITIVE_INFINITY,
): string => {
  const text = textOf(event);
  checkCharset(event);
  const { text: guarded, flaw, containers } = screenJson(text, keeps);
  if (containers > most)
    throw new Refusal({ kind: "too-large", detail: `The body has more than ${most} objects and lists.` });
  if (flaw !== null) throw invalid(["body", flaw.offset], flaw.msg, flaw.type);
  event.body = guarded;
  event.isBase64Encoded = false;
  return text;
};

/** What `JSON.parse` says of a text, null when it is JSON. */
const parserMessage = (text: string): string | null => {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
};

/** V8 names no position for a token it does not know: the shortest beginning of the text that has it tells. */
const unknownTokenOffset = (text: string): number => {
  let [valid, invalid] = [0, text.length];
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >>> 1;
    if (parserMessage(text.slice(0, middle))?.endsWith("is not valid JSON") === true) invalid = middle;
    else valid = middle;
  }
  return valid;
};

/** Where a text stops being JSON, in UTF-16 code units. */
export const errorOffset = (text: string): number => {
  const message = parserMessage(text);
  if (message === null) return 0;
  const at = /at position (\d+)/.exec(message)?.[1];
  if (at !== undefined) return Number(at);
  return message.endsWith("is not valid JSON") ? unknownTokenOffset(text) : text.length;
};
