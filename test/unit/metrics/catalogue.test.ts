import { describe, expect, test } from "vitest";
import { strictJsonSchema } from "../../../lib/judge/question/answer.ts";
import type { Metric } from "../../../lib/judge/metric.ts";
import { sessionCatalogue, sessionMetricNames } from "../../../lib/metrics/session/catalogue.ts";
import { judgedCatalogue, traceMetricNames } from "../../../lib/metrics/trace/catalogue.ts";
import { judgedMetrics, traceMetrics } from "../../../lib/metrics/trace/definitions.ts";

const questions = judgedMetrics.flatMap((metric) => (metric.method === "judge" ? [metric] : []));
const scaled = questions.filter(({ answer }) => "verdict" in answer.entries);

/** What the catalogue says of a metric, as its definition has it. */
const entryOf = ({ description, category, threshold, ...metric }: Metric) => ({
  description,
  category,
  threshold,
  ...(metric.method === "judge"
    ? { method: metric.method, sees: metric.sees, needs: metric.needs.map(({ name }) => name) }
    : { method: metric.method }),
});

describe("the catalogue of traces", () => {
  test("is in the order of names", () => {
    expect(traceMetricNames).toEqual(traceMetricNames.toSorted());
    expect(traceMetrics.map(({ name }) => name)).toEqual(traceMetricNames);
  });

  test("holds loop_detection for sessions, but does not list it", () => {
    expect(judgedMetrics.map(({ name }) => name)).toEqual([...traceMetricNames, "loop_detection"]);
  });

  test("says of each metric what its definition does", () => {
    const defined = Object.fromEntries(judgedMetrics.map((metric) => [metric.name, entryOf(metric)]));

    expect(judgedCatalogue).toEqual(defined);
  });

  test.each(judgedMetrics)("says in one sentence what $name evaluates", ({ description, threshold }) => {
    expect(description).toMatch(/^Evaluates whether [^.]+\.$/u);
    expect(threshold).toBe(0.5);
  });
});

describe("the question of a metric", () => {
  test.each(questions)("asks for evidence and reason before the verdict, strictly: $name", ({ answer }) => {
    const fields = Object.keys(answer.entries);

    expect(fields.slice(-3).map((field) => field.replace(/s$/u, ""))).toEqual(["evidence", "reason", "verdict"]);
    expect(strictJsonSchema(answer)).toMatchObject({
      type: "object",
      required: fields,
      additionalProperties: false,
    });
  });

  test.each(questions)("explains each field it asks for, in the order of its schema: $name", ({ answer, question }) => {
    const explained = [...question.matchAll(/^- (?<field>\w+):/gmu)].map(({ groups }) => groups?.["field"]);

    expect(explained).toEqual(Object.keys(answer.entries));
  });

  test.each(scaled)("explains every anchor of its scale: $name", ({ answer, question }) => {
    const anchors = [...question.matchAll(/^ {2}"(?<anchor>[a-z_]+)": \S/gmu)].map(({ groups }) => groups?.["anchor"]);

    expect(strictJsonSchema(answer)).toMatchObject({
      properties: { verdict: { type: "string", enum: anchors } },
    });
    expect(anchors).toHaveLength(5);
  });
});

describe("the catalogue of sessions", () => {
  test("lists two metrics by name", () => {
    expect(sessionMetricNames).toEqual(["agent_consistency", "agent_reliability"]);
  });

  test.each(Object.entries(sessionCatalogue))("says what %s evaluates and how", (_, metric) => {
    expect(metric.description).toMatch(/^Evaluates whether [^.]+\. [A-Z][^.]+\.$/u);
    expect(metric).toMatchObject({ category: "session", threshold: 0.5 });
  });
});
