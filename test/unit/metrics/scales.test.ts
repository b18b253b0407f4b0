import { describe, expect, test } from "vitest";
import { confidence } from "../../../lib/metrics/trace/confidence.ts";
import { planAdherence } from "../../../lib/metrics/trace/plan-adherence.ts";
import { planQuality } from "../../../lib/metrics/trace/plan-quality.ts";
import { stepEfficiency } from "../../../lib/metrics/trace/step-efficiency.ts";
import { taskCompletion } from "../../../lib/metrics/trace/task-completion.ts";
import { toolCorrectness } from "../../../lib/metrics/trace/tool-correctness.ts";
import { material } from "./material.ts";

const plan = { task: "Find the order.", evidence: [], plan: ["Look it up.", "Tell the user."] };
const seen = material({}, { plan });
const judged = { evidence: ["#1"], reason: "So." };

const scales = [
  [taskCompletion, { task: "t", outcome: "o" }, ["fully", "mostly", "partly", "barely", "not_at_all"]],
  [
    toolCorrectness,
    { user_input: "u", available_tools: [] },
    ["all_right", "mostly_right", "mixed", "mostly_wrong", "all_wrong"],
  ],
  [stepEfficiency, { task: "t" }, ["minimal", "slight_excess", "some_waste", "wasteful", "aimless"]],
  [planAdherence, {}, ["followed", "mostly_followed", "partly_followed", "barely_followed", "ignored"]],
  [planQuality, {}, ["excellent", "good", "fair", "poor", "useless"]],
  [confidence, {}, ["assured", "mostly_assured", "mixed", "hesitant", "erratic"]],
] as const;

describe.each(scales.map(([metric, more, anchors]) => ({ name: metric.name, metric, more, anchors })))(
  "the scale of $name",
  ({ metric, more, anchors }) => {
    test("falls in five even steps", () => {
      const values = anchors.map((verdict) => metric.score({ ...judged, ...more, verdict }, seen).value);

      expect(values).toEqual([1, 0.75, 0.5, 0.25, 0]);
    });

    test("gives the judge's reason", () => {
      expect(metric.score({ ...judged, ...more, verdict: anchors[0] }, seen).reason).toBe("So.");
    });
  },
);

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
      reason: "Does not apply: the record shows no plan of the agent, stated or implied.",
      details: { task: plan.task, plan: [] },
    });
    expect(metric.inapplicable(seen)).toBeNull();
  });
});
