import { createHash } from "node:crypto";
import { ToolError } from "./tool-error.ts";

/**
 * Most bytes of a page: 25,000 tokens at two bytes a token, as ids and JSON have. English has about four, and Chinese three with one
 * token a character.
 */
const maxPageBytes = 48_000;

/** A part of a text, and the cursor of the next part; null at the end. */
export interface TextPage {
  readonly text: string;
  readonly cursor: string | null;
}

/** Returns the end of a part of UTF-8 text, moved before a character that it would split. */
const characterEnd = (bytes: Buffer, end: number): number => {
  let at = end;
  // Continuation bytes belong to the character before them.
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
};

/** Returns `text` if it has at most `length` bytes, else its beginning and how much is missing. */
export const clipped = (text: string, length: number): string => {
  if (text.length * 3 <= length) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= length) return text;
  const end = characterEnd(bytes, length);
  return `${bytes.subarray(0, end).toString()}… (${bytes.length - end} more bytes)`;
};

/** Returns as many blocks of lines as a page has room for, at least one. */
export const fittingBlocks = (blocks: readonly (readonly string[])[]): readonly (readonly string[])[] => {
  let bytes = 0;
  const count = blocks.findIndex((block) => (bytes += Buffer.byteLength(block.join("\n")) + 1) > maxPageBytes);
  return count === -1 ? blocks : blocks.slice(0, Math.max(1, count));
};

/**
 * Returns a page of a text, which ends at the end of a line if one is near.
 *
 * @param cursor cursor of an earlier page; it names the text, so that a changed text is not continued in the middle.
 * @throws ToolError if the cursor is malformed or belongs to another text.
 */
export const pageOfText = (text: string, cursor: string | undefined): TextPage => {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  const [, offset, hashBefore] = /^(\d{1,9})-([0-9a-f]{12})$/u.exec(cursor ?? `0-${hash}`) ?? [];
  if (hashBefore !== hash)
    throw new ToolError("The cursor belongs to another answer, or the data have changed since: call again without it.");
  const bytes = Buffer.from(text);
  const start = Number(offset);
  let end = Math.min(bytes.length, start + maxPageBytes);
  if (end < bytes.length) {
    const line = bytes.lastIndexOf("\n", end - 1) + 1;
    if (line > start + maxPageBytes / 2) end = line;
    else end = characterEnd(bytes, end);
  }
  return { text: bytes.subarray(start, end).toString(), cursor: end < bytes.length ? `${end}-${hash}` : null };
};
