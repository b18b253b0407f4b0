import { describe, expect, test } from "vitest";
import { maxSearchedCharacters, compilePattern } from "../../../../lib/domain/checks/pattern.ts";
import { trace } from "../../judge/fixtures.ts";
import { checked } from "./check-result.ts";

/** Patterns on which a backtracking engine takes exponential time. */
const catastrophic: readonly (readonly [pattern: string, text: string])[] = [
  ["^(a+)+$", `${"a".repeat(maxSearchedCharacters - 1)}!`],
  ["^(a|a)*$", `${"a".repeat(maxSearchedCharacters - 1)}!`],
  ["^(?:a|aa)+$", `${"a".repeat(maxSearchedCharacters - 1)}!`],
  ["(x+x+)+y", `y${"x".repeat(maxSearchedCharacters - 1)}`],
  ["^(?:a?){100}a{100}$", "a".repeat(201)],
  ["^(\\w+\\s?)*$", `${"word ".repeat(maxSearchedCharacters / 5 - 1)}!`],
  ["(.*)(.*)(.*)(.*)(.*)(.*)[^a]$", "a".repeat(maxSearchedCharacters)],
];

describe("a pattern", () => {
  test.each(catastrophic)("is searched in time linear in the text: %s", (text, searched) => {
    const pattern = compilePattern(text);
    expect(typeof pattern === "string" ? pattern : pattern.matches(searched)).toBe(false);
  });

  test("is not searched beyond the limit of characters, whatever the text", () => {
    const input = { type: "matches", pattern: "^a" };
    expect(checked(input, trace({ output: "a".repeat(maxSearchedCharacters) })).holds).toBe(true);
    expect(checked(input, trace({ output: "a".repeat(maxSearchedCharacters + 1) }))).toMatchObject({
      holds: null,
      reason: expect.stringContaining("there are more than 100000 characters to look through"),
    });
  });
});
