import { parse } from "valibot";
import { describe, expect, test } from "vitest";
import { customMetricInput } from "../../../lib/contract/metrics/custom-fields.ts";
import { lint } from "../../../lib/domain/metrics/lint/lint.ts";
import { definitionOf } from "../../../lib/domain/metrics/custom/definition-of.ts";
import { decide } from "../../../lib/domain/metrics/rubric.ts";
import { gallery } from "../../../lib/metrics/gallery/gallery.ts";

describe("the gallery of example metrics", () => {
  test("has the metrics that teams begin with, each under its own name", () => {
    expect(gallery.map(({ name }) => name)).toEqual([
      "answer_relevance",
      "faithfulness",
      "refusal",
      "toxicity",
      "personal_data_leak",
      "tone",
      "hand_over_quality",
      "conversation_completeness",
      "instruction_following",
      "sql_safety",
    ]);
  });

  test.each(gallery)("$name is a complete and valid request for a custom metric, without lint warnings", (metric) => {
    const { name, ...input } = parse(customMetricInput, metric);
    expect({ name, ...input }).toStrictEqual(metric);
    const definition = definitionOf(input);
    if (definition.kind !== "judge") throw new Error("It is no judge's.");
    expect(lint(input, definition.rubric)).toEqual([]);
    expect(definition.rubric.statements.map(({ name }) => name)).toEqual(metric.statements.map(({ name }) => name));
  });

  test.each(gallery)("$name: its example leads to a level, with a reason", (metric) => {
    const { name: _, ...input } = parse(customMetricInput, metric);
    const definition = definitionOf(input);
    const [example] = metric.examples;
    if (definition.kind !== "judge" || example === undefined) throw new Error("It has no example.");
    expect(decide(definition.rubric, example.answers)).toMatchObject({ kind: "level" });
    expect(example.reason).not.toBe("");
  });
});
