import { describe, expect, test } from "vitest";
import { readCheck } from "../../../../lib/domain/checks/read-check.ts";
import type { JsonObject } from "../../../../lib/domain/json.ts";
import { importedMetric, type ImportedMetric } from "../../../../lib/domain/metrics/imported/imported-metric.ts";

const imported = (input: JsonObject): ImportedMetric => {
  const metric = importedMetric(input);
  if (typeof metric === "string") throw new Error(metric);
  return metric;
};

const contains = (text: string) => ({ type: "contains", text });
const output = "{{sample.output_text}}";

describe("a deterministic metric of another tool", () => {
  test.each<[string, JsonObject, JsonObject]>([
    ["contains", { type: "contains", value: "Refund" }, contains("Refund")],
    ["not-contains", { type: "not-contains", value: "sorry" }, { not: contains("sorry") }],
    ["icontains", { type: "icontains", value: "refund" }, { ...contains("refund"), ignore_case: true }],
    ["contains-all", { type: "contains-all", value: ["a", 7] }, { all: [contains("a"), contains("7")] }],
    ["contains-any", { type: "contains-any", value: "a, b" }, { any: [contains("a"), contains("b")] }],
    ["equals", { type: "equals", value: "Hé!" }, { all: [contains("Hé!"), { type: "length", min: 3, max: 3 }] }],
    ["equals of an object", { type: "equals", value: { a: 1 } }, { type: "json", schema: { const: { a: 1 } } }],
    ["starts-with", { type: "starts-with", value: "1. (a)" }, { type: "matches", pattern: String.raw`^1\. \(a\)` }],
    ["regex", { type: "regex", value: String.raw`\d{4}` }, { type: "matches", pattern: String.raw`\d{4}` }],
    ["is-json", { type: "is-json", value: '{"required": ["a"]}' }, { type: "json", schema: { required: ["a"] } }],
    ["is-json alone", { type: "is-json" }, { type: "json" }],
    ["latency", { type: "latency", threshold: 5000 }, { type: "latency_ms", max: 5000 }],
    ["not-cost", { type: "not-cost", threshold: 0.01 }, { not: { type: "cost_usd", max: 0.01 } }],
    ["a tool", { type: "trajectory:tool-used", value: "search" }, { all: [{ type: "required_tool", tool: "search" }] }],
    [
      "string_check eq",
      { type: "string_check", name: "n", input: output, reference: "yes", operation: "eq" },
      { all: [contains("yes"), { type: "length", min: 3, max: 3 }] },
    ],
    [
      "string_check ilike",
      { type: "string_check", name: "n", input: output, reference: "yes", operation: "ilike" },
      { ...contains("yes"), ignore_case: true },
    ],
    [
      "a pattern for the whole output",
      { type: "PatternMatchMetric", name: "n", pattern: "a+", ignore_case: true },
      { type: "matches", pattern: String.raw`^\s*(?:a+)\s*$`, ignore_case: true },
    ],
    [
      "a list of assertions",
      {
        assert: [
          { type: "contains", value: "a" },
          { type: "not-icontains", value: "b", weight: 2 },
        ],
      },
      { all: [contains("a"), { not: { ...contains("b"), ignore_case: true } }] },
    ],
    [
      "the assertions of all tests",
      { defaultTest: { assert: [{ type: "is-json" }] }, tests: [{ vars: { x: 1 } }] },
      { type: "json" },
    ],
    [
      "a list of which a half has to hold",
      {
        threshold: 0.5,
        assert: [
          { type: "contains", value: "a" },
          { type: "contains", value: "b" },
        ],
      },
      { any: [contains("a"), contains("b")] },
    ],
  ])("becomes a check: %s", (_, input, check) => {
    const metric = imported(input);

    expect(metric).toMatchObject({ kind: "check", check, instructions: "", scale: [], statements: [] });
    expect(readCheck(metric.check).flaws).toBeNull();
  });

  test.each<[JsonObject, string]>([
    [{ type: "javascript", value: "output.length < 100" }, '"javascript" cannot be imported: it is code'],
    [{ type: "python", name: "p", source: "def grade(): ..." }, '"python" cannot be imported: it is code'],
    [{ name: "f", function_data: { type: "code", data: {} } }, '"code" cannot be imported'],
    [
      { type: "text_similarity", name: "t", input: output, reference: "{{item.answer}}", pass_threshold: 0.8 },
      '"text_similarity" cannot be imported: it compares the output with an expected text',
    ],
    [{ name: "Levenshtein" }, "it compares the output with an expected text"],
    [
      { type: "string_check", name: "n", input: output, reference: "{{item.label}}", operation: "eq" },
      '"string_check" cannot be imported: it compares with "{{item.label}}"',
    ],
    [{ type: "string_check", name: "n", input: "yes", reference: output, operation: "like" }, "the output alone"],
    [
      { type: "string_check", name: "n", input: output, reference: "a", operation: "constructor" },
      "its operation is not one of eq, ne, like, ilike",
    ],
    [{ type: "equals", value: "file://expected.txt" }, "it compares with"],
    [{ type: "regex", value: "(?=a)b" }, '"regex" cannot be imported: Input cannot be used'],
    [{ type: "contains", value: "a", transform: "output.text" }, "it transforms the output by code"],
    [{ type: "contains-all", value: [{}] }, "its list has a value that is not a text"],
    [{ type: "is-json", value: "required: [a]" }, "its schema is not JSON"],
    [{ type: "latency" }, "it has no threshold"],
    [
      { type: "word-count", value: { max: 9 } },
      '"word-count" cannot be imported: no condition of a check does the same',
    ],
    [{ type: "answer-relevance", threshold: 0.7 }, 'the gallery has "answer_relevance"'],
    [{ type: "select-best", value: "The funniest" }, "it chooses between several outputs"],
    [{ type: "multi", name: "m", graders: {}, calculate_output: "a" }, "it combines other metrics"],
    [
      {
        assert: [
          { type: "contains", value: "a" },
          { type: "llm-rubric", value: "Is polite" },
        ],
      },
      "its list mixes conditions and questions to a judge",
    ],
    [
      { threshold: 0.6, assert: ["a", "b", "c"].map((value) => ({ type: "contains", value })) },
      "2 of its 3 conditions have to hold",
    ],
    [
      {
        threshold: 0.5,
        assert: [
          { type: "contains", value: "a", weight: 3 },
          { type: "contains", value: "b" },
        ],
      },
      "a threshold and weights",
    ],
    [{ tests: [{ assert: [{ type: "is-json" }] }, { assert: [{ type: "is-json" }] }] }, "it has 2 tests"],
  ])("that no check expresses is refused by its type: %#", (input, sentence) => {
    expect(importedMetric(input)).toContain(sentence);
  });

  test("keeps its threshold and names the fields that are left out, within lists too", () => {
    const single = imported({ type: "PatternMatchMetric", name: "n", pattern: "a", threshold: 1 });
    const list = imported({
      tests: [{ vars: { x: 1 }, assert: [{ type: "contains", metric: "m", value: "a", weight: 2 }] }],
    });

    expect([single.threshold, single.notes]).toEqual([1, []]);
    expect(list).toMatchObject({ name: "m", notes: ["Ignored fields: tests.0.vars, tests.0.assert.0.weight."] });
  });
});
