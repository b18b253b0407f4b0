import type { JsonObject } from "../json.ts";
import { Refusal, type Violation } from "../refusal.ts";

/** Maximum characters of a metadata value that can be used in filters. */
const maxValueCharacters = 128;

/** The value of a declared metadata key in a trace. */
export interface DeclaredValue {
  readonly key: string;
  /** The text, or the JSON of other values; null if it is too long for filters. */
  readonly value: string | null;
}

/** Fast path by UTF-16 length, since a code point has at most two code units. */
const isTooLong = (text: string): boolean =>
  text.length > 2 * maxValueCharacters || Array.from(text).length > maxValueCharacters;

/** Returns the values of declared metadata keys in a trace. */
export const declaredValues = (metadata: JsonObject, keys: readonly string[]): readonly DeclaredValue[] =>
  keys
    .filter((key) => Object.hasOwn(metadata, key))
    .map((key) => {
      const value = metadata[key];
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return { key, value: isTooLong(text) ? null : text };
    });

/**
 * Checks that filters use only metadata keys that the project has declared.
 *
 * @param loc returns the location of the field with a key.
 * @throws Refusal `invalid` naming the undeclared keys.
 */
export const checkDeclared = (
  filters: Readonly<Record<string, unknown>> | undefined,
  declared: readonly string[],
  loc: (key: string) => readonly string[],
): void => {
  const declaredText = declared.length === 0 ? "It has declared none" : `It has declared: ${declared.join(", ")}`;
  const violations = Object.keys(filters ?? {})
    .filter((key) => !declared.includes(key))
    .map((key): Violation => ({
      loc: [...loc(key)],
      msg: `Traces can be filtered only by metadata keys that the project declares in metadata_keys. ${declaredText}.`,
      type: "value_error",
    }));
  if (violations.length > 0) throw new Refusal({ kind: "invalid", violations });
};
