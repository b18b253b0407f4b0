import { describe, expect, inject, test } from "vitest";
import { getRunTemplate, getRunTemplateShort } from "../../../lib/contract/runs/template.ts";
import { listSessionMetrics, listTraceMetrics } from "../../../lib/contract/metrics/metric-lists.ts";
import { traceMetricNames } from "../../../lib/metrics/trace/catalogue.ts";
import { inTurn } from "../../support/in-turn.ts";
import { newProject } from "../../support/service/client.ts";
import { problems } from "../../support/reply-shape.ts";

const project = newProject(inject("service"));

describe("the metrics for traces", () => {
  test("are those of the catalogue, by name, without loop_detection", async () => {
    const metrics = await project.answer(listTraceMetrics);

    expect(metrics.map(({ name }) => name)).toEqual(traceMetricNames);
    expect(traceMetricNames).not.toContain("loop_detection");
    for (const metric of metrics) {
      expect(metric).toEqual({
        name: expect.any(String),
        description: expect.stringMatching(/^Evaluates /u),
        category: "trace",
      });
    }
  });
});

describe("the metrics for sessions", () => {
  test("are two, by name", async () => {
    expect(await project.answer(listSessionMetrics)).toEqual([
      { name: "agent_consistency", description: expect.any(String), category: "session" },
      { name: "agent_reliability", description: expect.any(String), category: "session" },
    ]);
  });
});

describe.each([getRunTemplate, getRunTemplateShort])("the template at $path", (route) => {
  test("is a valid run with the metric as its only choice", async () => {
    const template = await project.answer(route, { query: { metric: "task_completion" } });

    expect(template).toMatchObject({
      metric: { name: "task_completion", category: "trace", default_threshold: 0.5 },
      filters: {
        date_from: null,
        date_to: null,
        status: null,
        session_id: null,
        user_id: null,
        tags: null,
        name: null,
      },
      sampling_rate: 1,
      model: "offline/rules",
    });
  });

  test.each([
    ["coherence", []],
    ["confidence", ["score"]],
    ["plan_adherence", ["plan", "score"]],
  ])("shows for %s the stages %j", async (metric, stages) => {
    const template = await project.answer(route, { query: { metric } });

    expect(template.metric.prompt_preview.map(({ stage }) => stage)).toEqual(stages);
  });

  test("shows how the score is computed from the judge's answers", async () => {
    const { metric } = await project.answer(route, { query: { metric: "task_completion" } });
    const compared = await project.answer(route, { query: { metric: "coherence" } });

    expect(metric.rubric?.levels.map(({ name, value }) => [name, value])).toEqual([
      ["fully", 1],
      ["mostly", 0.75],
      ["partly", 0.5],
      ["barely", 0.25],
      ["not_at_all", 0],
    ]);
    expect(metric.rubric?.statements.map(({ name }) => name)).toContain("delivered");
    expect(metric.rubric).toMatchObject({
      rule: [{ level: "not_at_all", answers: { delivered: "no" }, least: 1 }, {}, {}, { level: "mostly", least: 1 }],
      otherwise: "fully",
    });
    expect(compared.metric.rubric).toBeNull();
  });

  test.each(traceMetricNames)("shows the prompts of %s in full", async (metric) => {
    const template = await project.answer(route, { query: { metric } });

    expect(template.metric.name).toBe(metric);
    for (const { prompt } of template.metric.prompt_preview) {
      expect(prompt).toMatch(/^You are an impartial evaluator\.[\s\S]*BEGINS >>>>>\n\([\s\S]*\nQuestion: /u);
    }
  });

  test.each(["nonsense", "loop_detection", "agent_reliability", "TASK_COMPLETION", "", "__proto__"])(
    "is refused for the metric %j",
    async (metric) => {
      const reply = await project.call(route, { query: { metric } });

      expect(reply).toMatchObject({
        status: 422,
        body: {
          detail: [
            { loc: ["query", "metric"], msg: expect.stringContaining(`Unknown metric: ${metric}. Known are: `) },
          ],
        },
      });
    },
  );

  test("requires exactly one metric", async () => {
    const replies = await inTurn([{}, { query: "metric=confidence&metric=coherence" }], (options) =>
      project.call(route, options),
    );

    expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual([
      [422, ["query.metric"]],
      [422, ["query.metric"]],
    ]);
  });
});
