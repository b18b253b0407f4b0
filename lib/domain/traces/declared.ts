import type { JsonObject } from "../json.ts";

/** Characters of a value by which traces are found. */
const mostCharacters = 128;

/** What a trace's metadata has under a key that its project declared. */
export interface DeclaredValue {
  readonly key: string;
  /** A text, or the JSON of anything else; null when it is too long to find the trace by. */
  readonly value: string | null;
}

/** Characters may be two code units each. */
const isTooLong = (text: string): boolean =>
  text.length > 2 * mostCharacters || Array.from(text).length > mostCharacters;

/** The values that a trace's metadata has under some keys. */
export const declaredValues = (metadata: JsonObject, keys: readonly string[]): readonly DeclaredValue[] =>
  keys
    .filter((key) => Object.hasOwn(metadata, key))
    .map((key) => {
      const given = metadata[key];
      const text = typeof given === "string" ? given : JSON.stringify(given);
      return { key, value: isTooLong(text) ? null : text };
    });
