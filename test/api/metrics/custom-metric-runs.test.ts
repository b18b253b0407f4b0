import { parse } from "valibot";
import { expect, inject, test } from "vitest";
import {
  createCustomMetric,
  deleteCustomMetric,
  getCustomMetric,
  updateCustomMetric,
} from "../../../lib/contract/metrics/custom-metrics.ts";
import { previewCustomMetric } from "../../../lib/contract/metrics/preview.ts";
import { listTraceMetrics } from "../../../lib/contract/metrics/trace-metrics.ts";
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

const ground = async (): Promise<Client> => {
  const project = newProject(service);
  await project.answer(createCustomMetric, { body: someMetric("declines") });
  await project.answer(createTrace, { body: someTrace() });
  return project;
};

const change = (project: Client, threshold: number) =>
  project.answer(updateCustomMetric, { params: { metric_name: "declines" }, body: { threshold } });

const run = (project: Client, metrics: readonly string[]) => project.call(createTraceRun, { body: { metrics } });

test("a run keeps the version that it began with, its retry too, and a new run takes the newest", async () => {
  const project = await ground();
  const first = await project.answer(createTraceRun, {
    body: { metrics: ["tool_correctness", "declines", "declines@1"] },
  });
  await change(project, 0.9);
  const second = await project.answer(createTraceRun, { body: { metrics: ["declines"] } });
  const both = await project.answer(createTraceRun, { body: { metrics: ["declines@1", "declines@2"] } });
  await Promise.all([first, second, both].map((each) => endedRun(project, each)));
  const named = await project.page(listTraceScores, { query: { name: "declines" } });
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
  // The rules beside the service know nothing of a team's own question, and say so.
  expect(scores.items.map(({ status, reason }) => [status, reason])).toEqual(
    scores.items.map(() => ["FAILED", expect.stringContaining("declines")]),
  );
  expect(named.total).toBe(4);
});

test.each([["declines@2"], ["declines@0"], ["other"], ["agent_reliability"], ["of_sessions"]])(
  "a run of traces takes no %s, and says what there is",
  async (name) => {
    const project = await ground();
    await project.answer(createCustomMetric, { body: { ...someMetric("of_sessions"), target_type: "SESSION" } });
    const { status, text } = await run(project, ["declines", name]);

    expect(status).toBe(422);
    expect(text).toContain(`Unknown metrics: ${name}.`);
    expect(text).toMatch(/Known are: [^"]*tool_correctness, declines\./u);
  },
);

test("a deleted metric is in no list and in no new run, and a run of it can still be retried", async () => {
  const project = await ground();
  const { id } = await project.answer(createTraceRun, { body: { metrics: ["declines"] } });
  await endedRun(project, { id });
  const before = await project.answer(listTraceMetrics);
  await project.answer(deleteCustomMetric, { params: { metric_name: "declines" } });
  const [after, refused] = [await project.answer(listTraceMetrics), await run(project, ["declines"])];

  expect(before.at(-1)).toEqual({
    name: "declines",
    description: someMetric("declines").description,
    category: "trace",
    version: 1,
  });
  expect([after.length, refused.status]).toEqual([before.length - 1, 422]);
  expect((await project.call(retryTraceRun, { params: { run_id: id } })).status).toBe(202);
});

test("of a metric that was made again under its name the versions before are read, and no run or preview asks for them", async () => {
  const project = await ground();
  const [params, fold] = [{ metric_name: "declines" }, { over: "rated", by: "mean" }];
  await project.answer(deleteCustomMetric, { params });
  const again = { name: "declines", kind: "fold", target_type: "SESSION", description: "Folds scores.", fold };
  await project.answer(createCustomMetric, { body: again });

  const before = await project.answer(getCustomMetric, { params: { metric_name: "declines@1" } });
  const refused = await Promise.all([
    run(project, ["declines@1"]),
    project.call(createSessionRun, { body: { metrics: ["declines@1"] } }),
    project.call(previewCustomMetric, { body: { metric_name: "declines@1", trace: someTrace() } }),
  ]);
  const made = await project.call(createSessionRun, { body: { metrics: ["declines@2"] } });

  expect(before).toMatchObject({ kind: "judge", target_type: "TRACE", version: 1 });
  expect([...refused, made].map(({ status }) => status)).toEqual([422, 422, 404, 202]);
});

test("a monitor takes the newest version at each firing, or the one that it names", async () => {
  const project = await ground();
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

test("a dry run counts a call for it, and the template shows the team's words outside of the marks", async () => {
  const project = await ground();
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

test("a dry run reckons a metric with the model of its own, unless the run names one", async () => {
  const project = await ground();
  const [dear, cheap] = ["openai/gpt-6-astra", "openai/gpt-6-luna"];
  await project.answer(createCustomMetric, { body: { ...someMetric("dear"), model: dear } });
  await project.answer(createCustomMetric, { body: { ...someMetric("unpriced"), model: "nobody/knows" } });
  const dry = async (metrics: readonly string[], model: string | null = null) => {
    const { text } = await project.call(createTraceRun, { body: { metrics, model }, query: { dry_run: "true" } });
    return parse(runEstimate, JSON.parse(text));
  };

  const [own, named, other, mixed, free] = [
    await dry(["dear"]),
    await dry(["declines"], dear),
    await dry(["dear"], cheap),
    await dry(["dear", "declines"]),
    await dry(["declines"]),
  ];
  const unpriced = await dry(["dear", "unpriced"]);

  expect(own.cost_usd).toBeGreaterThan(0);
  expect(own).toEqual(named);
  expect(other.cost_usd).toBeLessThan(own.cost_usd ?? 0);
  expect(mixed).toMatchObject({ judge_calls: 2, cost_usd: (own.cost_usd ?? 0) + (free.cost_usd ?? Number.NaN) });
  expect(unpriced).toMatchObject({ judge_calls: 2, cost_usd: null, set_aside_usd: null });
});

test("a metric's own model that is not there ends a run, and a monitor's, as the run's own would", async () => {
  const project = await ground();
  const model = "nobody/knows";
  await project.answer(createCustomMetric, { body: { ...someMetric("elsewhere"), model } });
  const body = { name: "watch", target_type: "TRACE", metrics: ["elsewhere"], cadence: "weekly" };
  const { id: monitor_id } = await project.answer(createMonitor, { body });
  const runs = [
    await project.answer(createTraceRun, { body: { metrics: ["tool_correctness"], model } }),
    await project.answer(createTraceRun, { body: { metrics: ["tool_correctness", "elsewhere"] } }),
    await project.answer(triggerMonitor, { params: { monitor_id } }),
  ];
  const [ofRun, ofMetric, ofMonitor] = await Promise.all(runs.map((each) => endedRun(project, each)));
  const chosen = await project.answer(createTraceRun, { body: { metrics: ["elsewhere"], model: "offline/rules" } });

  const because = ofRun?.error_message?.split(" because: ")[1] ?? "";

  expect(because).toContain("Provider 'nobody' is not known here.");
  // All pairs of such a run fail, those of other metrics too.
  expect([ofMetric, ofMonitor].map((each) => [each?.status, each?.failed_count, each?.error_message])).toEqual([
    ["FAILED", 2, expect.stringContaining(because)],
    ["FAILED", 1, expect.stringContaining(because)],
  ]);
  // A run that names its model is judged by it: what its metric would have is not asked for.
  expect((await endedRun(project, chosen)).error_message).not.toContain(because);
});
