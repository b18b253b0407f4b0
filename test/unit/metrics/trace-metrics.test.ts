import { describe, expect, test } from "vitest";
import { strictJsonSchema } from "../../../lib/judge/answer-schema.ts";
import { traceMetricNames, traceMetrics } from "../../../lib/metrics/trace/catalogue.ts";
import { taskCompletion } from "../../../lib/metrics/trace/task-completion.ts";
import { toolCorrectness } from "../../../lib/metrics/trace/tool-correctness.ts";
import { span, trace } from "../judge/fixtures.ts";

const completed = (verdict: string) =>
  taskCompletion.score({ task: "t", outcome: "o", evidence: [], reason: "r", verdict }, trace());
const tools = (verdict: string, given = trace()) =>
  toolCorrectness.score({ user_input: "u", available_tools: [], evidence: [], reason: "r", verdict }, given);

describe("the catalogue", () => {
  test("lists the metrics by name", () => {
    expect(traceMetricNames).toEqual(["task_completion", "tool_correctness"]);
    expect(traceMetricNames).toEqual([...traceMetricNames].sort());
  });

  test.each(traceMetrics.map((metric) => [metric.name, metric] as const))(
    "%s says in one sentence what it evaluates",
    (_, metric) => {
      expect(metric.description).toMatch(/^Evaluates whether [^.]+\.$/u);
      expect(metric).toMatchObject({ category: "trace", threshold: 0.5 });
    },
  );

  test.each(traceMetrics.map((metric) => [metric.name, metric] as const))(
    "%s asks for evidence and reason before the verdict, strictly",
    (_, metric) => {
      const schema = strictJsonSchema(metric.answer);
      const fields = Object.keys(metric.answer.entries);

      expect(fields.slice(-3)).toEqual(["evidence", "reason", "verdict"]);
      expect(schema).toMatchObject({
        type: "object",
        required: fields,
        additionalProperties: false,
      });
    },
  );

  test.each(traceMetrics.map((metric) => [metric.name, metric] as const))(
    "%s explains every anchor of its scale",
    (_, metric) => {
      const anchors = [...metric.question.matchAll(/^ {2}"(?<anchor>[a-z_]+)": \S/gmu)].map(
        ({ groups }) => groups?.["anchor"],
      );

      expect(strictJsonSchema(metric.answer)).toMatchObject({
        properties: { verdict: { type: "string", enum: anchors } },
      });
      expect(anchors).toHaveLength(5);
    },
  );
});

describe("task_completion", () => {
  test.each([
    ["fully", 1],
    ["mostly", 0.75],
    ["partly", 0.5],
    ["barely", 0.25],
    ["not_at_all", 0],
  ])("is worth for %s %f", (verdict, value) => {
    expect(completed(verdict)).toEqual({ value, reason: "r", details: { task: "t", outcome: "o", evidence: [] } });
  });
});

describe("tool_correctness", () => {
  test.each([
    ["all_right", 1],
    ["mostly_right", 0.75],
    ["mixed", 0.5],
    ["mostly_wrong", 0.25],
    ["all_wrong", 0],
  ])("is worth for %s %f", (verdict, value) => {
    expect(tools(verdict).value).toBe(value);
  });

  test("tells the tools that were called from the trace, in order", () => {
    const spans = [
      span("b", { kind: "TOOL", name: "second", input: { n: 2 }, started_at: "2026-03-01T10:00:02+00:00" }),
      span("c", { kind: "LLM", name: "model" }),
      span("a", { kind: "TOOL", name: "first", input: "text", started_at: "2026-03-01T10:00:01+00:00" }),
    ];

    expect(tools("mixed", trace({ spans })).details["tools_called"]).toEqual([
      { name: "first", parameters: "text" },
      { name: "second", parameters: { n: 2 } },
    ]);
  });

  test("judges a trace without tools like any other", () => {
    expect(tools("all_right", trace({ spans: [] }))).toMatchObject({
      value: 1,
      details: { tools_called: [], available_tools: [] },
    });
  });
});
