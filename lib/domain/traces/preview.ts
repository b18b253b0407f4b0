import type { Json } from "../json.ts";

/** Characters that a list shows of a text. */
const shown = 120;

/** Far more than is shown, whatever is left out of it. */
const looked = 1_000;

/** Line breaks, controls, and marks that turn the direction of writing. */
const unprintable = /[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;

/** The first characters of what a trace was asked, on one line; null when it was asked nothing. What is no text is shown as JSON. */
export const previewOf = (input: Json): string | null => {
  if (input === null) return null;
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const line = text.slice(0, looked).replaceAll(unprintable, " ").trim();
  return Array.from(line).slice(0, shown).join("").toWellFormed();
};
