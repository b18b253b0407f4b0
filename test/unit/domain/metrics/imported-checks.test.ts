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
const expected = { reference: "expected_output" };

describe("a deterministic metric of another tool", () => {
  test.each<[string, JsonObject, JsonObject]>([
    ["contains", { type: "contains", value: "Refund" }, contains("Refund")],
    ["not-contains", { type: "not-contains", value: "sorry" }, { not: contains("sorry") }],
    ["icontains", { type: "icontains", value: "refund" }, { ...contains("refund"), ignore_case: true }],
    ["contains-all", { type: "contains-all", value: ["a", 7] }, { all: [contains("a"), contains("7")] }],
    ["contains-any", { type: "contains-any", value: "a, b" }, { any: [contains("a"), contains("b")] }],
    ["equals", { type: "equals", value: "Hé!" }, { type: "equals", text: "Hé!" }],
    ["equals of a variable", { type: "equals", value: "{{answer}}" }, { type: "equals", ...expected }],
    [
      "not-icontains of a variable",
      { type: "not-icontains", value: "{{ vars.answer }}" },
      { not: { type: "contains", ...expected, ignore_case: true } },
    ],
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
      { type: "equals", text: "yes" },
    ],
    [
      "string_check ne with a field of the item in either place",
      { type: "string_check", name: "n", input: "{{ item.label }}", reference: output, operation: "ne" },
      { not: { type: "equals", ...expected } },
    ],
    [
      "string_check like of an output within the field of the item",
      { type: "string_check", name: "n", input: "{{item.label}}", reference: output, operation: "like" },
      { type: "contains", of: "expected_output", reference: "output" },
    ],
    [
      "text_similarity",
      {
        type: "text_similarity",
        input: output,
        reference: "{{item.answer}}",
        evaluation_metric: "fuzzy_match",
        pass_threshold: 0.8,
      },
      { type: "similarity_at_least", ...expected, similarity: 0.8 },
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
      {
        type: "text_similarity",
        name: "t",
        input: output,
        reference: "{{item.answer}}",
        evaluation_metric: "bleu",
        pass_threshold: 0.8,
      },
      '"text_similarity" cannot be imported: its evaluation_metric is not fuzzy_match',
    ],
    [{ type: "levenshtein", value: "{{answer}}", threshold: 5 }, '"levenshtein" cannot be imported: it counts edits'],
    [{ type: "similar", value: "{{answer}}", threshold: 0.8 }, "it compares the output with an expected text as no"],
    [
      { type: "string_check", name: "n", input: output, reference: "{{item.question}}", operation: "eq" },
      '"string_check" cannot be imported: it compares with "{{item.question}}"',
    ],
    [{ type: "contains", value: "The answer is {{answer}}" }, "it compares with"],
    [
      {
        assert: [
          { type: "contains", value: "{{first}}" },
          { type: "contains", value: "{{second}}" },
        ],
      },
      "it compares with several fields of an item (first, second)",
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

    const similar = imported({
      type: "text_similarity",
      evaluation_metric: "fuzzy_match",
      pass_threshold: 0.8,
      input: output,
      reference: "{{item.answer}}",
    });

    expect(similar.notes).toEqual([
      `"answer" is the expected output of the dataset's item now.`,
      "The similarity is another one: 1 less the edits by the characters of the longer text. Try its threshold.",
    ]);
    expect(similar).not.toHaveProperty("threshold");
    expect([single.threshold, single.notes]).toEqual([1, []]);
    expect(list).toMatchObject({ name: "m", notes: ["Ignored fields: tests.0.vars, tests.0.assert.0.weight."] });
  });
});
