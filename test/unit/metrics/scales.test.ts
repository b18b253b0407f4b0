import { parse } from "valibot";
import { describe, expect, test } from "vitest";
import type { JudgedMetric } from "../../../lib/judge/metric/metric.ts";
import { strictJsonSchema } from "../../../lib/judge/question/answer.ts";
import { confidence } from "../../../lib/metrics/trace/confidence.ts";
import { judgedMetrics } from "../../../lib/metrics/trace/definitions.ts";
import { planAdherence } from "../../../lib/metrics/trace/plan-adherence.ts";
import { planQuality } from "../../../lib/metrics/trace/plan-quality.ts";
import { scale5 } from "../../../lib/metrics/trace/scale5.ts";
import { stepEfficiency } from "../../../lib/metrics/trace/step-efficiency.ts";
import { taskCompletion } from "../../../lib/metrics/trace/task-completion.ts";
import { toolCorrectness } from "../../../lib/metrics/trace/tool-correctness.ts";
import { instanceOf, jsonSchema } from "../../support/page/schema-instance.ts";
import { material } from "./material.ts";

const plan = { task: "Find the order.", evidence: [], plan: ["Look it up.", "Tell the user."] };
const withPlan = material({}, { plan });

describe("a five-point scale", () => {
  const scale = scale5(
    ["all", "everything is there"],
    ["most", "little is missing"],
    ["half", "half is there"],
    ["little", "most is missing"],
    ["none", "nothing is there"],
  );

  test("falls in equal steps from 1 to 0, the best first", () => {
    expect(scale.map(({ name, value }) => [name, value])).toEqual([
      ["all", 1],
      ["most", 0.75],
      ["half", 0.5],
      ["little", 0.25],
      ["none", 0],
    ]);
  });
});

const statementMetrics = judgedMetrics.flatMap((metric) =>
  metric.method === "judge" && metric.rubric !== null && "statements" in metric.answer.entries
    ? [{ ...metric, rubric: metric.rubric }]
    : [],
);

/** Answer of a metric with `no` to some statements, `cannot_tell` to others and `yes` to the remaining ones. */
const answerTo = (
  metric: JudgedMetric,
  negativeNames: readonly string[],
  undecidedNames: readonly string[] = [],
): object => {
  const answer = (name: string) =>
    negativeNames.includes(name) ? "no" : undecidedNames.includes(name) ? "cannot_tell" : "yes";
  const statements = metric.rubric?.statements.map(({ name }) => [
    name,
    { evidence: [`#${name.length}`], reason: `So is ${name}.`, answer: answer(name) },
  ]);
  return {
    ...Object(instanceOf(parse(jsonSchema, strictJsonSchema(metric.answer)), "So.")),
    statements: Object.fromEntries(statements ?? []),
  };
};

/** Expectations of people who know the metrics: the statements that do not hold, and the value then. */
const byHand: readonly (readonly [metric: JudgedMetric, no: readonly string[], value: number, level: string])[] = [
  [taskCompletion, [], 1, "fully"],
  [taskCompletion, ["exact"], 0.75, "mostly"],
  [taskCompletion, ["complete", "exact"], 0.75, "mostly"],
  [taskCompletion, ["main", "complete"], 0.5, "partly"],
  [taskCompletion, ["substantial", "main", "complete"], 0.25, "barely"],
  [taskCompletion, ["delivered", "substantial", "main", "complete", "exact"], 0, "not_at_all"],
  [planQuality, [], 1, "excellent"],
  [planQuality, ["precise"], 0.75, "good"],
  [planQuality, ["complete"], 0.5, "fair"],
  [planQuality, ["direct", "precise"], 0.5, "fair"],
  [planQuality, ["complete", "coherent"], 0.25, "poor"],
  [planQuality, ["coherent", "direct", "precise"], 0.25, "poor"],
  [planQuality, ["aimed"], 0, "useless"],
  [planAdherence, [], 1, "followed"],
  [planAdherence, ["exact"], 0.75, "mostly_followed"],
  [planAdherence, ["essential", "exact"], 0.5, "partly_followed"],
  [planAdherence, ["half", "essential", "exact"], 0.25, "barely_followed"],
  [planAdherence, ["begun", "half", "essential", "exact"], 0, "ignored"],
  [stepEfficiency, [], 1, "minimal"],
  [stepEfficiency, ["all_needed"], 0.75, "slight_excess"],
  [stepEfficiency, ["few_needless", "all_needed"], 0.5, "some_waste"],
  [stepEfficiency, ["mostly_needed", "few_needless", "all_needed"], 0.25, "wasteful"],
  [stepEfficiency, ["forward", "few_needless", "all_needed"], 0, "aimless"],
  [toolCorrectness, [], 1, "all_right"],
  [toolCorrectness, ["lean"], 0.75, "mostly_right"],
  [toolCorrectness, ["helpful"], 0.5, "mixed"],
  [toolCorrectness, ["mostly_fitting", "lean"], 0.25, "mostly_wrong"],
  [toolCorrectness, ["necessary"], 0.25, "mostly_wrong"],
  [toolCorrectness, ["serving", "mostly_fitting", "lean"], 0, "all_wrong"],
  [confidence, [], 1, "assured"],
  [confidence, ["calibrated"], 0.75, "mostly_assured"],
  [confidence, ["unrepeated", "calibrated"], 0.5, "mixed"],
  [confidence, ["prevailing", "calibrated"], 0.25, "hesitant"],
  [confidence, ["strategy", "prevailing"], 0, "erratic"],
];

describe("a verdict derived from statements", () => {
  test.each(byHand)("of $name without %j is %d", (metric, negativeNames, value, level) => {
    expect(metric.score(answerTo(metric, negativeNames), withPlan)).toMatchObject({ value, details: { level } });
  });

  test.each(statementMetrics)("reaches each of the five values, and every statement counts: $name", (metric) => {
    const { levels, statements } = metric.rubric;
    const names = statements.map(({ name }) => name);
    const subsets = Array.from({ length: 2 ** names.length }, (_, bits) =>
      names.filter((_name, place) => (bits >> place) % 2 === 1),
    );
    const valueOf = (negativeNames: readonly string[]) => metric.score(answerTo(metric, negativeNames), withPlan).value;

    expect(new Set(subsets.map(valueOf))).toEqual(new Set([1, 0.75, 0.5, 0.25, 0]));
    expect(levels.map(({ value }) => value)).toEqual([1, 0.75, 0.5, 0.25, 0]);
    for (const name of names) expect(valueOf([name])).toBeLessThan(1);
    // One more statement that does not hold never raises the value.
    for (const negativeNames of subsets)
      for (const name of names)
        expect(valueOf([...negativeNames, name])).toBeLessThanOrEqual(valueOf(negativeNames) ?? -1);
  });

  test.each(statementMetrics)("is that of its worked example: $name", ({ name, question, score }) => {
    const example: unknown = JSON.parse(question.slice(question.lastIndexOf("\n") + 1));
    const expected: Readonly<Record<string, string>> = {
      task_completion: "mostly",
      plan_quality: "fair",
      plan_adherence: "mostly_followed",
      step_efficiency: "slight_excess",
      tool_correctness: "mostly_right",
      confidence: "mostly_assured",
    };

    expect(score(example, withPlan)).toMatchObject({ details: { level: expected[name] } });
  });

  test("lists in its reason the deciding statements, their reasons first", () => {
    const [partly, fully] = [["main", "complete"], []].map((negativeNames) =>
      taskCompletion.score(answerTo(taskCompletion, negativeNames), withPlan),
    );

    expect(partly?.reason).toBe(
      'So is main. So is delivered. So is substantial. So is complete. So is exact. (partly, by "main": no.)',
    );
    expect(fully?.reason).toMatch(/\(fully, by "delivered", "substantial", "main", "complete", "exact": yes\.\)$/u);
  });

  test("has the answers and all evidence in its metadata", () => {
    expect(stepEfficiency.score(answerTo(stepEfficiency, ["all_needed"]), withPlan).details).toEqual({
      task: "So.",
      level: "slight_excess",
      statements: { forward: "yes", mostly_needed: "yes", few_needless: "yes", all_needed: "no" },
      evidence: ["#7", "#13", "#12", "#10"],
    });
  });

  test('is null where it depends on a "cannot tell" answer, and names the statement', () => {
    expect(taskCompletion.score(answerTo(taskCompletion, [], ["complete"]), withPlan)).toEqual({
      value: null,
      code: "insufficient_evidence",
      reason: "The judge cannot tell from what it was shown: Every part of the objective is met. So is complete.",
      details: {
        statements: { delivered: "yes", substantial: "yes", main: "yes", complete: "cannot_tell", exact: "yes" },
      },
    });
  });

  test('is computed where it does not depend on a "cannot tell" answer', () => {
    expect(taskCompletion.score(answerTo(taskCompletion, ["delivered"], ["main", "exact"]), withPlan)).toMatchObject({
      value: 0,
      reason: expect.stringMatching(/\(not_at_all, by "delivered": no\.\)$/u),
    });
    expect(taskCompletion.score(answerTo(taskCompletion, ["complete"], ["exact"]), withPlan)).toMatchObject({
      value: 0.75,
      reason: expect.stringMatching(/\(mostly, by "complete": no\.\)$/u),
    });
  });
});

describe("the metadata", () => {
  test.each([
    [taskCompletion, ["task", "outcome"]],
    [stepEfficiency, ["task"]],
    [planAdherence, ["task", "plan"]],
    [planQuality, ["task", "plan"]],
    [confidence, []],
    [toolCorrectness, ["user_input", "tools_called", "available_tools"]],
  ] as const)("of $name names the basis of the score", (metric, keys) => {
    expect(Object.keys(metric.score(answerTo(metric, []), withPlan).details)).toEqual([
      ...keys,
      "level",
      "statements",
      "evidence",
    ]);
  });

  test("of both plan metrics holds the task and the plan that were extracted from the trace", () => {
    const quality = planQuality.score(answerTo(planQuality, ["precise"]), withPlan);
    const adherence = planAdherence.score(answerTo(planAdherence, []), withPlan);

    expect(quality.details).toMatchObject({ task: plan.task, plan: plan.plan });
    expect(adherence.details).toMatchObject({ task: plan.task, plan: plan.plan });
  });
});

describe("a trace without a plan", () => {
  test.each([planAdherence, planQuality])("does not apply to $name, which is 1 by convention", (metric) => {
    const without = material({}, { plan: { ...plan, plan: [] } });

    expect(metric.inapplicable(without)).toEqual({
      value: 1,
      inapplicable: "no_plan",
      reason: "Does not apply: the record states no plan of the agent.",
      details: { task: plan.task, plan: [] },
    });
    expect(metric.inapplicable(withPlan)).toBeNull();
  });
});
