import type { Json } from "../json.ts";

/** Maximum characters of the preview in a list. */
const maxPreviewCharacters = 120;

/** Characters examined for a preview: far more than are shown, since white space is collapsed. */
const maxReadCharacters = 1_000;

/** Matches white space, control characters and marks that change the writing direction. */
const unprintable = /[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * Returns the first characters of a trace's input on one line; null without input. Input other than text is shown as
 * JSON.
 */
export const previewOf = (input: Json): string | null => {
  if (input === null) return null;
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const line = text.slice(0, maxReadCharacters).replaceAll(unprintable, " ").trim();
  return Array.from(line).slice(0, maxPreviewCharacters).join("").toWellFormed();
};
