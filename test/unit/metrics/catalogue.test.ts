import { parse } from "valibot";
import { describe, expect, test } from "vitest";
import { strictJsonSchema } from "../../../lib/judge/question/answer.ts";
import type { Metric } from "../../../lib/judge/metric.ts";
import { sessionCatalogue, sessionMetricNames } from "../../../lib/metrics/session/catalogue.ts";
import { judgedCatalogue, traceMetricNames } from "../../../lib/metrics/trace/catalogue.ts";
import { argumentCorrectness } from "../../../lib/metrics/trace/argument-correctness.ts";
import { judgedMetrics, traceMetrics } from "../../../lib/metrics/trace/definitions.ts";
import { jsonSchema } from "../../support/page/schema-instance.ts";

const questions = judgedMetrics.flatMap((metric) => (metric.method === "judge" ? [metric] : []));
const stated = questions.filter(({ answer }) => "statements" in answer.entries);

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
  test.each(questions)("is a strict form: $name", ({ answer }) => {
    expect(strictJsonSchema(answer)).toMatchObject({
      type: "object",
      required: Object.keys(answer.entries),
      additionalProperties: false,
    });
  });

  test.each(stated)(
    "asks last for its statements, each with evidence and reason before the answer: $name",
    (metric) => {
      const names = metric.rubric?.statements.map(({ name }) => name) ?? [];
      const picks = { type: "string", enum: ["yes", "no", "cannot_tell"] };
      const { properties } = parse(jsonSchema, strictJsonSchema(metric.answer));

      expect(Object.keys(metric.answer.entries).at(-1)).toBe("statements");
      expect(Object.keys(properties?.["statements"]?.properties ?? {})).toEqual(names);
      for (const each of Object.values(properties?.["statements"]?.properties ?? {})) {
        expect(Object.entries(each.properties ?? {})).toEqual([
          ["evidence", { type: "array", items: { type: "string" } }],
          ["reason", { type: "string" }],
          ["answer", picks],
        ]);
      }
    },
  );

  test("of argument_correctness asks for evidence and reason before it asks about each call", () => {
    expect(Object.keys(argumentCorrectness.answer.entries).slice(-3)).toEqual(["evidence", "reason", "verdicts"]);
  });

  test.each(questions)("explains each field it asks for, in the order of its schema: $name", ({ answer, question }) => {
    const explained = [...question.matchAll(/^- (?<field>\w+):/gmu)].map(({ groups }) => groups?.["field"]);

    expect(explained).toEqual(Object.keys(answer.entries));
  });

  test.each(questions)("explains every statement, and what yes and no mean: $name", ({ rubric, question }) => {
    const lines = [...question.matchAll(/^ {2}(?<name>[a-z_]+): (?<text>[A-Z][^.]+\.) yes: [^;]+; no: [^;]+\.$/gmu)];

    expect(lines.map(({ groups }) => [groups?.["name"], groups?.["text"]])).toEqual(
      rubric?.statements.map(({ name, text }) => [name, text]),
    );
  });

  test.each(questions)("does not say to which level an answer leads: $name", ({ rubric, question }) => {
    const told = rubric?.levels.filter(
      ({ name, meaning }) => question.includes(`"${name}"`) || question.includes(meaning),
    );

    expect(told).toEqual([]);
  });

  const extractions = [...new Set(questions.flatMap(({ needs }) => needs))];

  test.each([...questions, ...extractions])("has one worked example, an answer of its own form: $name", (asked) => {
    const [, text = "", ...more] = asked.question.split(/\nExample, of another record\. .+\n/u);
    const example: unknown = JSON.parse(text);

    expect(more).toEqual([]);
    expect(parse(asked.answer, example)).toEqual(example);
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
