import { describe, expect, test } from "vitest";
import { strictJsonSchema } from "../../../lib/judge/question/answer-schema.ts";
import { sessionMetricNames, sessionMetrics } from "../../../lib/metrics/session/catalogue.ts";
import { judgedMetrics, traceMetricNames, traceMetrics } from "../../../lib/metrics/trace/catalogue.ts";

const questions = traceMetrics.flatMap((metric) => (metric.method === "judge" ? [[metric.name, metric] as const] : []));
const scaled = questions.filter(([name]) => name !== "argument_correctness");

describe("the catalogue of traces", () => {
  test("lists eight metrics by name", () => {
    expect(traceMetricNames).toEqual([
      "argument_correctness",
      "coherence",
      "confidence",
      "plan_adherence",
      "plan_quality",
      "step_efficiency",
      "task_completion",
      "tool_correctness",
    ]);
  });

  test("holds loop_detection for sessions, but does not list it", () => {
    expect(judgedMetrics.map(({ name }) => name)).toEqual([...traceMetricNames, "loop_detection"]);
  });

  test.each(judgedMetrics.map((metric) => [metric.name, metric] as const))(
    "%s says in one sentence what it evaluates",
    (_, metric) => {
      expect(metric.description).toMatch(/^Evaluates whether [^.]+\.$/u);
      expect(metric).toMatchObject({ category: "trace", threshold: 0.5 });
    },
  );

  test.each(questions)("%s asks for evidence and reason before the verdict, strictly", (_, metric) => {
    const fields = Object.keys(metric.answer.entries);

    expect(fields.slice(-3).map((field) => field.replace(/s$/u, ""))).toEqual(["evidence", "reason", "verdict"]);
    expect(strictJsonSchema(metric.answer)).toMatchObject({
      type: "object",
      required: fields,
      additionalProperties: false,
    });
  });

  test.each(questions)("%s explains each field it asks for, in the order of its schema", (_, metric) => {
    const explained = [...metric.question.matchAll(/^- (?<field>\w+):/gmu)].map(({ groups }) => groups?.["field"]);

    expect(explained).toEqual(Object.keys(metric.answer.entries));
  });

  test.each(scaled)("%s explains every anchor of its scale", (_, metric) => {
    const anchors = [...metric.question.matchAll(/^ {2}"(?<anchor>[a-z_]+)": \S/gmu)].map(
      ({ groups }) => groups?.["anchor"],
    );

    expect(strictJsonSchema(metric.answer)).toMatchObject({
      properties: { verdict: { type: "string", enum: anchors } },
    });
    expect(anchors).toHaveLength(5);
  });
});

describe("the catalogue of sessions", () => {
  test("lists two metrics by name", () => {
    expect(sessionMetricNames).toEqual(["agent_consistency", "agent_reliability"]);
  });

  test.each(sessionMetrics.map((metric) => [metric.name, metric] as const))(
    "%s says what it evaluates and how",
    (_, metric) => {
      expect(metric.description).toMatch(/^Evaluates whether [^.]+\. [A-Z][^.]+\.$/u);
      expect(metric).toMatchObject({ category: "session", threshold: 0.5 });
    },
  );
});
