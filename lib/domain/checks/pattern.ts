import { RE2JS } from "re2js";

/** Characters of a pattern. */
export const longestPattern = 500;

/** Instructions that the patterns of a check are compiled to, all together: with `mostMatched` what looking for them can take. */
export const mostInstructions = 1000;

/** Characters of a trace that a pattern is looked for in. */
export const mostMatched = 100_000;

/** A pattern that is found in a time that grows with the text alone, whatever it says. */
export interface Pattern {
  /** Instructions that it is compiled to. */
  readonly size: number;
  /** Whether it is somewhere in a text. */
  readonly isIn: (text: string) => boolean;
}

/** A pattern in RE2's syntax, which has neither look-around nor references back. @returns what is wrong with it, as a clause. */
export const patternOf = (text: string, ignoreCase = false): Pattern | string => {
  try {
    const compiled = RE2JS.compile(text, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return { size: compiled.programSize(), isIn: (searched) => compiled.test(searched) };
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/^error parsing regexp: /u, "") : "";
    return `it is no pattern of RE2's syntax (no look-around, no references back): ${said.slice(0, 200)}`;
  }
};
