import { parse } from "valibot";
import { expect, inject, test } from "vitest";
import {
  createCustomMetric,
  deleteCustomMetric,
  getCustomMetric,
  updateCustomMetric,
} from "../../../lib/contract/metrics/custom-metrics.ts";
import { previewCustomMetric } from "../../../lib/contract/metrics/preview.ts";
import { listTraceMetrics } from "../../../lib/contract/metrics/metric-lists.ts";
import { createMonitor, triggerMonitor, updateMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { runEstimate } from "../../../lib/contract/runs/estimate.ts";
import { getRunTemplate } from "../../../lib/contract/runs/template.ts";
import { createSessionRun } from "../../../lib/contract/runs/session-runs.ts";
import { createTraceRun, listTraceRunScores, retryTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { someMetric } from "../../support/custom-metric.ts";
import { newProject, type Client } from "../../support/service/client.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");

const createProject = async (): Promise<Client> => {
  const project = newProject(service);
  await project.answer(createCustomMetric, { body: someMetric("declines") });
  await project.answer(createTrace, { body: someTrace() });
  return project;
};

const change = (project: Client, threshold: number) =>
  project.answer(updateCustomMetric, { params: { metric_name: "declines" }, body: { threshold } });

const run = (project: Client, metrics: readonly string[]) => project.call(createTraceRun, { body: { metrics } });

test("a run and its retries use the version of a metric at the run's start, and a new run uses the newest", async () => {
  const project = await createProject();
  const first = await project.answer(createTraceRun, {
    body: { metrics: ["tool_correctness", "declines", "declines@1"] },
  });
  await change(project, 0.9);
  const second = await project.answer(createTraceRun, { body: { metrics: ["declines"] } });
  const both = await project.answer(createTraceRun, { body: { metrics: ["declines@1", "declines@2"] } });
  await Promise.all([first, second, both].map((each) => endedRun(project, each)));
  const scoresByName = await project.page(listTraceScores, { query: { name: "declines" } });
  const retried = await project.answer(retryTraceRun, { params: { run_id: first.id } });
  const scores = await project.page(listTraceRunScores, { params: { run_id: both.id } });

  expect([first, second, both, retried].map(({ metric_names }) => metric_names)).toEqual([
    ["tool_correctness", "declines@1"],
    ["declines@2"],
    ["declines@1", "declines@2"],
    ["declines@1"],
  ]);
  expect(scores.items.map(({ name, metadata }) => [name, metadata["metric_version"]]).toSorted()).toEqual([
    ["declines", 1],
    ["declines", 2],
  ]);
  // The offline judge has no rule for a custom question, and its reason says so.
  expect(scores.items.map(({ status, reason }) => [status, reason])).toEqual(
    scores.items.map(() => ["FAILED", expect.stringContaining("declines")]),
  );
  expect(scoresByName.total).toBe(4);
});

test.each([["declines@2"], ["declines@0"], ["other"], ["agent_reliability"], ["of_sessions"]])(
  "a run of traces refuses the metric %s, and lists the known ones",
  async (name) => {
    const project = await createProject();
    await project.answer(createCustomMetric, { body: { ...someMetric("of_sessions"), target_type: "SESSION" } });
    const { status, text } = await run(project, ["declines", name]);

    expect(status).toBe(422);
    expect(text).toContain(`Unknown metrics: ${name}.`);
    expect(text).toMatch(/Known are: [^"]*tool_correctness, declines\./u);
  },
);

test("a deleted metric is in no list and no new run, and a run of it can still be retried", async () => {
  const project = await createProject();
  const { id } = await project.answer(createTraceRun, { body: { metrics: ["declines"] } });
  await endedRun(project, { id });
  const before = await project.answer(listTraceMetrics);
  await project.answer(deleteCustomMetric, { params: { metric_name: "declines" } });
  const [after, refusal] = [await project.answer(listTraceMetrics), await run(project, ["declines"])];

  expect(before.at(-1)).toEqual({
    name: "declines",
    description: someMetric("declines").description,
    category: "trace",
    version: 1,
  });
  expect([after.length, refusal.status]).toEqual([before.length - 1, 422]);
  expect((await project.call(retryTraceRun, { params: { run_id: id } })).status).toBe(202);
});

test("versions of a deleted metric whose name is used again can be read, but not be run or previewed", async () => {
  const project = await createProject();
  const [params, fold] = [{ metric_name: "declines" }, { over: "rated", by: "mean" }];
  await project.answer(deleteCustomMetric, { params });
  const metric = { name: "declines", kind: "fold", target_type: "SESSION", description: "Folds scores.", fold };
  await project.answer(createCustomMetric, { body: metric });

  const before = await project.answer(getCustomMetric, { params: { metric_name: "declines@1" } });
  const refusals = await Promise.all([
    run(project, ["declines@1"]),
    project.call(createSessionRun, { body: { metrics: ["declines@1"] } }),
    project.call(previewCustomMetric, { body: { metric_name: "declines@1", trace: someTrace() } }),
  ]);
  const runReply = await project.call(createSessionRun, { body: { metrics: ["declines@2"] } });

  expect(before).toMatchObject({ kind: "judge", target_type: "TRACE", version: 1 });
  expect([...refusals, runReply].map(({ status }) => status)).toEqual([422, 422, 404, 202]);
});

test("a monitor uses the newest version of a metric at each firing, or the version that it names", async () => {
  const project = await createProject();
  const body = { name: "watch", target_type: "TRACE", metrics: ["declines"], cadence: "weekly" };
  const { id, metric_names } = await project.answer(createMonitor, { body });
  const fire = () => project.answer(triggerMonitor, { params: { monitor_id: id } });
  const first = await fire();
  await change(project, 0.9);
  const second = await fire();
  await project.answer(updateMonitor, { params: { monitor_id: id }, body: { metrics: ["declines@1"] } });
  const third = await fire();
  const wrong = await project.call(updateMonitor, { params: { monitor_id: id }, body: { metrics: ["declines@9"] } });
  await project.answer(deleteCustomMetric, { params: { metric_name: "declines" } });
  const gone = await project.call(triggerMonitor, { params: { monitor_id: id } });

  expect([metric_names, ...[first, second, third].map((each) => each.metric_names)]).toEqual([
    ["declines"],
    ["declines@1"],
    ["declines@2"],
    ["declines@1"],
  ]);
  expect([wrong.status, gone.status]).toEqual([422, 422]);
});

test("a dry run counts a call for a custom metric, and its template shows the team's text outside of the delimiters", async () => {
  const project = await createProject();
  const dry = await project.call(createTraceRun, {
    body: { metrics: ["task_completion", "declines"] },
    query: { dry_run: "true" },
  });
  const { metric } = await project.answer(getRunTemplate, { query: { metric: "declines@1" } });
  const prompt = metric.prompt_preview[0]?.prompt ?? "";

  expect([dry.status, dry.body]).toMatchObject([200, { targets: 1, judge_calls: 2 }]);
  expect(metric).toMatchObject({ name: "declines@1", default_threshold: 0.5, rubric: { otherwise: "fair" } });
  expect(prompt.indexOf(someMetric("declines").instructions)).toBeGreaterThan(prompt.indexOf("ENDS >>>>>\n"));
  expect((await project.call(getRunTemplate, { query: { metric: "nothing" } })).status).toBe(422);
});

test("an estimate uses the model of a custom metric, unless the run names one", async () => {
  const project = await createProject();
  const [expensive, inexpensive] = ["openai/gpt-6-astra", "openai/gpt-6-luna"];
  await project.answer(createCustomMetric, { body: { ...someMetric("dear"), model: expensive } });
  await project.answer(createCustomMetric, { body: { ...someMetric("unpriced"), model: "nobody/knows" } });
  const dry = async (metrics: readonly string[], model: string | null = null) => {
    const { text } = await project.call(createTraceRun, { body: { metrics, model }, query: { dry_run: "true" } });
    return parse(runEstimate, JSON.parse(text));
  };

  const [ownModel, namedModel, otherModel, mixedModels, freeModel] = [
    await dry(["dear"]),
    await dry(["declines"], expensive),
    await dry(["dear"], inexpensive),
    await dry(["dear", "declines"]),
    await dry(["declines"]),
  ];
  const unpriced = await dry(["dear", "unpriced"]);

  expect(ownModel.cost_usd).toBeGreaterThan(0);
  expect(ownModel).toEqual(namedModel);
  expect(otherModel.cost_usd).toBeLessThan(ownModel.cost_usd ?? 0);
  expect(mixedModels).toMatchObject({
    judge_calls: 2,
    cost_usd: (ownModel.cost_usd ?? 0) + (freeModel.cost_usd ?? Number.NaN),
  });
  expect(unpriced).toMatchObject({ judge_calls: 2, cost_usd: null, set_aside_usd: null });
});

test("a run, or a monitor's, ends when the model of a custom metric is not available, as with the run's own model", async () => {
  const project = await createProject();
  const model = "custom/x";
  await project.answer(createCustomMetric, { body: { ...someMetric("elsewhere"), model } });
  const body = { name: "watch", target_type: "TRACE", metrics: ["elsewhere"], cadence: "weekly" };
  const { id: monitor_id } = await project.answer(createMonitor, { body });
  const runs = [
    await project.answer(createTraceRun, { body: { metrics: ["tool_correctness"], model } }),
    await project.answer(createTraceRun, { body: { metrics: ["tool_correctness", "elsewhere"] } }),
    await project.answer(triggerMonitor, { params: { monitor_id } }),
  ];
  const [ofRun, ofMetric, ofMonitor] = await Promise.all(runs.map((each) => endedRun(project, each)));
  const runWithModel = await project.answer(createTraceRun, {
    body: { metrics: ["elsewhere"], model: "offline/rules" },
  });

  const because = ofRun?.error_message?.split("The judgement failed: ")[1] ?? "";

  expect(because).toContain("Provider 'Custom server' is not configured");
  // All pairs of such a run fail, also those of other metrics.
  expect([ofMetric, ofMonitor].map((each) => [each?.status, each?.failed_count, each?.error_message])).toEqual([
    ["FAILED", 2, expect.stringContaining(because)],
    ["FAILED", 1, expect.stringContaining(because)],
  ]);
  // A run that names its model is judged by that model: the model of the metric is not used.
  expect((await endedRun(project, runWithModel)).error_message).not.toContain(because);
});
