import { parseJson } from "../providers/reply.ts";

/** Removes characters without a width, which models copy from the text that they read. */
export const withoutZeroWidth = (text: string): string => text.replaceAll(/\p{Cf}+/gu, "");

/** A string of JSON, a comma before a closing bracket, or characters without a width between tokens. */
const stringOrFlaw = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|,(?=[\s\p{Cf}]*[}\]])|\p{Cf}+/gu;

// oxlint-disable-next-line no-control-regex -- control characters are what JSON forbids in strings.
const controlCharacter = /[\u0000-\u001f]/gu;

const escaped = (character: string): string => JSON.stringify(character).slice(1, -1);

/**
 * Parses JSON, also with flaws that leave it one meaning: control characters in strings, as line breaks, a comma before a closing
 * bracket, and characters without a width. Undefined for other texts.
 */
export const parseLenientJson = (text: string): unknown =>
  parseJson(text) ??
  parseJson(
    text.replace(stringOrFlaw, (part) => (part.startsWith('"') ? part.replace(controlCharacter, escaped) : "")),
  );
