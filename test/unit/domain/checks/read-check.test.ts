import { describe, expect, test } from "vitest";
import { readCheck } from "../../../../lib/domain/checks/read-check.ts";
import type { Json } from "../../../../lib/domain/json.ts";

const nested = (depth: number): Json => (depth === 1 ? { type: "retries", max: 0 } : { not: nested(depth - 1) });
const many = (count: number): Json => ({
  all: [0, 1].map((half) => ({
    any: Array.from({ length: half === 0 ? 20 : count - 20 }, () => ({ type: "retries", max: 0 })),
  })),
});

describe("a check in the form of the API", () => {
  test("gets its defaults", () => {
    expect(readCheck({ not: { type: "contains", text: "x" } })).toEqual({
      check: { not: { type: "contains", of: "output", span: null, text: "x", ignore_case: false } },
      flaws: null,
    });
  });

  test.each<[string, Json, readonly (string | number)[], string]>([
    ["what is no object", "contains x", [], "Input should be a valid dictionary"],
    ["an unknown type", { type: "runs_code" }, ["type"], "Input should be one of matches, contains"],
    ["the name of what every object has", { type: "constructor" }, ["type"], "Input should be one of matches"],
    ["two at once", { all: [], type: "json" }, [], "Input should have exactly one of all, any, not, type"],
    ["an empty list", { all: [] }, ["all"], "List should have at least 1 item"],
    [
      "an unknown field",
      { type: "json", shema: {} },
      ["shema"],
      "Unknown field. Allowed fields: type, of, span, schema",
    ],
    ["a field that is missing", { any: [{ type: "contains" }] }, ["any", 0, "text"], "Give either text or reference"],
    ["a field too many", { type: "equals", text: "a", reference: "input" }, ["text"], "Give either text or reference"],
    ["a similarity that is missing", { type: "similarity_at_least", text: "a" }, ["similarity"], "Field required"],
    ["a bound of nothing", { type: "tokens" }, ["min"], "Give min, max or both"],
    ["bounds the wrong way round", { type: "tokens", min: 2, max: 1 }, ["max"], "Input should be at least min"],
    ["a share above 1", { type: "error_rate", max: 2 }, ["max"], "Input should be a number from 0 to 1"],
    ["a pattern that is none", { type: "matches", pattern: "(" }, ["pattern"], "it is not a valid RE2 pattern"],
    ["look-ahead", { type: "matches", pattern: "(?=a)b" }, ["pattern"], "it is not a valid RE2 pattern"],
    ["a reference back", { type: "matches", pattern: "(a)\\1" }, ["pattern"], "it is not a valid RE2 pattern"],
    ["a long pattern", { type: "matches", pattern: "a".repeat(501) }, ["pattern"], "1 to 500 characters"],
    [
      "a pattern that compiles to much",
      { type: "matches", pattern: "(?:a{500}){2}b{99}" },
      ["pattern"],
      "1000 instructions",
    ],
    [
      "patterns that do together",
      { all: [1, 2].map(() => ({ type: "matches", pattern: "a{600}" })) },
      ["all", 1, "pattern"],
      "1000 instructions",
    ],
    ["a schema with a reference", { type: "json", schema: { $ref: "#" } }, ["schema"], "not a supported keyword"],
    [
      "a schema nested too deep",
      { type: "json", schema: JSON.parse('{"not":'.repeat(13) + "{}" + "}".repeat(13)) },
      ["schema"],
      "deeper than 12",
    ],
    ["too many levels", nested(6), ["not", "not", "not", "not", "not"], "Checks nest at most 5 deep"],
    ["too many conditions", many(31), ["all", 1, "any", 10], "A check has at most 30 conditions"],
  ])("is refused with the place of %s", (_, input, path, msg) => {
    expect(readCheck(input)).toEqual({ check: null, flaws: [{ path, msg: expect.stringContaining(msg) }] });
  });

  test("may have the maximum size", () => {
    expect([readCheck(nested(5)).flaws, readCheck(many(30)).flaws]).toEqual([null, null]);
  });
});
