import type { JsonObject } from "../json.ts";
import { Refusal, type Violation } from "../refusal.ts";

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

/**
 * @param loc of the field that has the key.
 * @throws Refusal `invalid` naming the keys that are to be found by and that a project has not declared.
 */
export const checkDeclared = (
  wanted: Readonly<Record<string, unknown>> | undefined,
  declared: readonly string[],
  loc: (key: string) => readonly string[],
): void => {
  const known = declared.length === 0 ? "It has declared none" : `It has declared: ${declared.join(", ")}`;
  const violations = Object.keys(wanted ?? {})
    .filter((key) => !declared.includes(key))
    .map((key): Violation => ({
      loc: [...loc(key)],
      msg: `Traces are found by keys of metadata that the project declares in metadata_keys. ${known}.`,
      type: "value_error",
    }));
  if (violations.length > 0) throw new Refusal({ kind: "invalid", violations });
};
