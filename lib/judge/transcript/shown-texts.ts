import type { Json } from "../../domain/json.ts";

/** Minimum characters of a repeated text that is replaced by a reference; shorter texts are rendered again. */
const minReferredLength = 48;

const nested = "(nested too deep to show)";

/** Returns a value as JSON; a fixed placeholder if it is nested too deep for `JSON.stringify`. */
export const jsonText = (value: Json): string => {
  try {
    return JSON.stringify(value);
  } catch {
    // JSON.stringify is recursive; its RangeError must not fail the judgement.
    return nested;
  }
};

/** Removes the spaces of a JSON text, so that a tool's output is recognised when a later message quotes it as a string. */
const withoutSpaces = (text: string): string => {
  if (!/^\s*[{[]/u.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
};

/** Texts that a transcript has shown so far, each with its location, such as `#3 output` or `user turn 2`. */
export interface ShownTexts {
  /**
   * Returns the location where a whole text was shown before; records the location of a new text and returns null.
   *
   * @param location location of the text; null to record nothing, for a location that also shows other text.
   */
  findOrRecord(text: string, location: string | null): string | null;
  /** Does the same as `findOrRecord` for a value that is passed as JSON without spaces. */
  findOrRecordJson(json: string, location: string | null): string | null;
}

/** Creates the empty record of shown texts of a transcript. */
export const shownTexts = (): ShownTexts => {
  const locations = new Map<string, string>();
  const findOrRecordJson = (json: string, location: string | null): string | null => {
    if (json.length < minReferredLength || json === nested) return null;
    const earlierLocation = locations.get(json);
    if (earlierLocation === undefined && location !== null) locations.set(json, location);
    return earlierLocation ?? null;
  };
  return {
    findOrRecordJson,
    // The unchanged text is tried first: most JSON in strings has no spaces, and parsing is expensive.
    findOrRecord: (text, location) =>
      text.length < minReferredLength ? null : (locations.get(text) ?? findOrRecordJson(withoutSpaces(text), location)),
  };
};
