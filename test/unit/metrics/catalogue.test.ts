import { parse } from "valibot";
import { describe, expect, test } from "vitest";
import { strictJsonSchema } from "../../../lib/judge/question/answer.ts";
import type { Metric } from "../../../lib/judge/metric/metric.ts";
import { sessionCatalogue, sessionMetricNames } from "../../../lib/metrics/session/catalogue.ts";
import { judgedCatalogue, traceMetricNames } from "../../../lib/metrics/trace/catalogue.ts";
import { argumentCorrectness } from "../../../lib/metrics/trace/argument-correctness.ts";
import { judgedMetrics, traceMetrics } from "../../../lib/metrics/trace/definitions.ts";
import { jsonSchema } from "../../support/page/schema-instance.ts";

const questions = judgedMetrics.flatMap((metric) => (metric.method === "judge" ? [metric] : []));
const statementQuestions = questions.filter(({ answer }) => "statements" in answer.entries);

/** The catalogue's entry of a metric, derived from its definition. */
const entryOf = ({ description, category, threshold, ...metric }: Metric) => ({
  description,
  category,
  threshold,
  ...(metric.method === "judge"
    ? { method: metric.method, sees: metric.sees, needs: metric.needs.map(({ name }) => name) }
    : { method: metric.method }),
});

describe("the catalogue of trace metrics", () => {
  test("is sorted by name", () => {
    expect(traceMetricNames).toEqual(traceMetricNames.toSorted());
    expect(traceMetrics.map(({ name }) => name)).toEqual(traceMetricNames);
  });

  test("has loop_detection for sessions, but does not list it", () => {
    expect(judgedMetrics.map(({ name }) => name)).toEqual([...traceMetricNames, "loop_detection"]);
  });

  test("describes each metric as its definition does", () => {
    const defined = Object.fromEntries(judgedMetrics.map((metric) => [metric.name, entryOf(metric)]));

    expect(judgedCatalogue).toEqual(defined);
  });

  test.each(judgedMetrics)("describes in one sentence what $name evaluates", ({ description, threshold }) => {
    expect(description).toMatch(/^Evaluates whether [^.]+\.$/u);
    expect(threshold).toBe(0.5);
  });
});

describe("the question of a metric", () => {
  test.each(questions)("has a strict schema: $name", ({ answer }) => {
    expect(strictJsonSchema(answer)).toMatchObject({
      type: "object",
      required: Object.keys(answer.entries),
      additionalProperties: false,
    });
  });

  test.each(statementQuestions)(
    "puts its statements last, each with evidence and reason before the answer: $name",
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

  test("of argument_correctness puts evidence and reason before the answer about each call", () => {
    expect(Object.keys(argumentCorrectness.answer.entries).slice(-3)).toEqual(["evidence", "reason", "verdicts"]);
  });

  test.each(questions)(
    "explains each field of the answer, in the order of its schema: $name",
    ({ answer, question }) => {
      const explained = [...question.matchAll(/^- (?<field>\w+):/gmu)].map(({ groups }) => groups?.["field"]);

      expect(explained).toEqual(Object.keys(answer.entries));
    },
  );

  test.each(["confidence", "plan_adherence", "step_efficiency", "tool_correctness"])(
    "exempts calls of the agent's harness: %s",
    (metric) => {
      const { question = "" } = questions.find(({ name }) => name === metric) ?? {};
      expect(question).toContain("belong to its harness: they count neither for nor against it.");
    },
  );

  test.each(questions)("explains every statement, and the meaning of yes and no: $name", ({ rubric, question }) => {
    const lines = [...question.matchAll(/^ {2}(?<name>[a-z_]+): (?<text>[A-Z][^.]+\.) yes: [^;]+; no: [^;]+\.$/gmu)];

    expect(lines.map(({ groups }) => [groups?.["name"], groups?.["text"]])).toEqual(
      rubric?.statements.map(({ name, text }) => [name, text]),
    );
  });

  test.each(questions)("does not reveal which level an answer leads to: $name", ({ rubric, question }) => {
    const answeredLevels = rubric?.levels.filter(
      ({ name, meaning }) => question.includes(`"${name}"`) || question.includes(meaning),
    );

    expect(answeredLevels).toEqual([]);
  });

  const extractions = [...new Set(questions.flatMap(({ needs }) => needs))];

  test.each([...questions, ...extractions])("has one worked example, which fits its own schema: $name", (question) => {
    const [, text = "", ...furtherTexts] = question.question.split(/\nExample, of another record\. .+\n/u);
    const example: unknown = JSON.parse(text);

    expect(furtherTexts).toEqual([]);
    expect(parse(question.answer, example)).toEqual(example);
  });
});

describe("the catalogue of session metrics", () => {
  test("lists two metrics by name", () => {
    expect(sessionMetricNames).toEqual(["agent_consistency", "agent_reliability"]);
  });

  test.each(Object.entries(sessionCatalogue))("describes what %s evaluates and how", (_, metric) => {
    expect(metric.description).toMatch(/^Evaluates whether [^.]+\. [A-Z][^.]+\.$/u);
    expect(metric).toMatchObject({ category: "session", threshold: 0.5 });
  });
});
