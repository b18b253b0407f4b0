import { describe, expect, test } from "vitest";
import { mostMatched, patternOf } from "../../../../lib/domain/checks/pattern.ts";
import { trace } from "../../judge/fixtures.ts";
import { checked } from "./checked.ts";

/** Patterns that take time beyond all bounds where they are tried one way after the other. */
const catastrophic: readonly (readonly [pattern: string, text: string])[] = [
  ["^(a+)+$", `${"a".repeat(mostMatched - 1)}!`],
  ["^(a|a)*$", `${"a".repeat(mostMatched - 1)}!`],
  ["^(?:a|aa)+$", `${"a".repeat(mostMatched - 1)}!`],
  ["(x+x+)+y", `y${"x".repeat(mostMatched - 1)}`],
  ["^(?:a?){100}a{100}$", "a".repeat(201)],
  ["^(\\w+\\s?)*$", `${"word ".repeat(mostMatched / 5 - 1)}!`],
  ["(.*)(.*)(.*)(.*)(.*)(.*)[^a]$", "a".repeat(mostMatched)],
];

describe("a pattern", () => {
  test.each(catastrophic)("is looked for in a time that grows with the text: %s", (text, searched) => {
    const pattern = patternOf(text);
    expect(typeof pattern === "string" ? pattern : pattern.isIn(searched)).toBe(false);
  });

  test("is not looked for in more than it may, whatever stands there", () => {
    const sent = { type: "matches", pattern: "^a" };
    expect(checked(sent, trace({ output: "a".repeat(mostMatched) })).holds).toBe(true);
    expect(checked(sent, trace({ output: "a".repeat(mostMatched + 1) }))).toMatchObject({
      holds: null,
      reason: expect.stringContaining("there are more than 100000 characters to look through"),
    });
  });
});
