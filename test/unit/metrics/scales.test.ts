import { parse } from "valibot";
import { describe, expect, test } from "vitest";
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
const seen = material({}, { plan });
const judged = { evidence: ["#1"], reason: "So." };

describe("a scale of five", () => {
  const scale = scale5(
    ["all", "everything is there"],
    ["most", "little is missing"],
    ["half", "half is there"],
    ["little", "most is missing"],
    ["none", "nothing is there"],
  );

  test("falls in even steps from 1 to 0, the best first", () => {
    expect(scale.verdict.options.map(scale.value)).toEqual([1, 0.75, 0.5, 0.25, 0]);
  });

  test("takes its anchors for verdicts, and nothing else", () => {
    expect(parse(scale.verdict, "half")).toBe("half");
    expect(() => parse(scale.verdict, "Half")).toThrow("Invalid type");
  });

  test("explains each anchor on a line", () => {
    expect(scale.explained.split("\n")).toEqual([
      '  "all": everything is there;',
      '  "most": little is missing;',
      '  "half": half is there;',
      '  "little": most is missing;',
      '  "none": nothing is there.',
    ]);
  });
});

const scaled = judgedMetrics.flatMap((metric) =>
  metric.method === "judge" && "verdict" in metric.answer.entries ? [metric] : [],
);

test.each(scaled)("$name falls in the steps of its scale and gives the judge's reason", ({ answer, score }) => {
  const schema = parse(jsonSchema, strictJsonSchema(answer));
  const verdicts = schema.properties?.["verdict"]?.enum ?? [];

  const outcomes = verdicts.map((verdict) => score({ ...Object(instanceOf(schema, "So.")), verdict }, seen));

  expect(outcomes.map(({ value }) => value)).toEqual([1, 0.75, 0.5, 0.25, 0]);
  expect(new Set(outcomes.map(({ reason }) => reason))).toEqual(new Set(["So."]));
});

describe("the metadata", () => {
  test.each([
    [taskCompletion, { task: "t", outcome: "o", verdict: "fully" }, ["task", "outcome", "evidence"]],
    [stepEfficiency, { task: "t", verdict: "minimal" }, ["task", "evidence"]],
    [planAdherence, { verdict: "ignored" }, ["task", "plan", "evidence"]],
    [planQuality, { verdict: "good" }, ["task", "plan", "evidence"]],
    [confidence, { verdict: "assured" }, ["evidence"]],
    [
      toolCorrectness,
      { user_input: "u", available_tools: [], verdict: "mixed" },
      ["user_input", "tools_called", "available_tools", "evidence"],
    ],
  ] as const)("of $name names what the score rests on", (metric, answer, keys) => {
    expect(Object.keys(metric.score({ ...judged, ...answer }, seen).details)).toEqual(keys);
  });

  test("of both plan metrics holds the task and the plan that were drawn from the trace", () => {
    const quality = planQuality.score({ ...judged, verdict: "good" }, seen);
    const adherence = planAdherence.score({ ...judged, verdict: "followed" }, seen);

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
    expect(metric.inapplicable(seen)).toBeNull();
  });
});
