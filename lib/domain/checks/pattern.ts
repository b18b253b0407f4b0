import { RE2JS } from "re2js";

/** Maximum characters of a regular expression. */
export const maxPatternLength = 500;

/**
 * Maximum number of compiled instructions of all regular expressions of a check together; with `maxSearchedCharacters`
 * this bounds the search time.
 */
export const maxInstructions = 1000;

/** Maximum characters of a trace that are searched with a pattern. */
export const maxSearchedCharacters = 100_000;

/** A compiled regular expression with linear search time. */
export interface Pattern {
  /** Number of instructions of the compiled expression. */
  readonly size: number;
  /** True if the expression matches anywhere in a text. */
  readonly matches: (text: string) => boolean;
}

/**
 * Compiles a regular expression in RE2 syntax, which has no look-around and no backreferences.
 *
 * @returns the pattern, or a clause that describes the error in it.
 */
export const compilePattern = (text: string, ignoreCase = false): Pattern | string => {
  try {
    const compiled = RE2JS.compile(text, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return { size: compiled.programSize(), matches: (text) => compiled.test(text) };
  } catch (error) {
    const message = error instanceof Error ? error.message.replace(/^error parsing regexp: /u, "") : "";
    return `it is not a valid RE2 pattern (no look-around, no backreferences): ${message.slice(0, 200)}`;
  }
};
