import type { Json } from "../../domain/json.ts";

/** Below this a reference is no shorter than the text. */
const worthReferring = 48;

const nested = "(nested too deep to show)";

/** A value as JSON, whatever it nests. */
export const jsonText = (value: Json): string => {
  try {
    return JSON.stringify(value);
  } catch {
    // JSON.stringify recurses; a RangeError here must not cost a trace its scores.
    return nested;
  }
};

/** JSON in a string is the same text as the JSON itself: a tool's output comes back as a message's string. */
const withoutSpaces = (text: string): string => {
  if (!/^\s*[{[]/u.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
};

/** Texts that the transcript has shown already, and where. */
export interface ShownTexts {
  /**
   * Where a string was shown before as a whole; if nowhere, it is noted as shown here and the answer is null.
   *
   * @param here null: it is not all that stands there, so that nothing can refer to it.
   */
  place(text: string, here: string | null): string | null;
  /** The same of a value, given as JSON without spaces. */
  placeOfJson(json: string, here: string | null): string | null;
}

/** Nothing shown yet. */
export const shownTexts = (): ShownTexts => {
  const places = new Map<string, string>();
  const placeOfJson = (json: string, here: string | null): string | null => {
    if (json.length < worthReferring || json === nested) return null;
    const known = places.get(json);
    if (known === undefined && here !== null) places.set(json, here);
    return known ?? null;
  };
  return {
    placeOfJson,
    // Most JSON in strings has no spaces already: looking it up costs less than reading it.
    place: (text, here) =>
      text.length < worthReferring ? null : (places.get(text) ?? placeOfJson(withoutSpaces(text), here)),
  };
};
