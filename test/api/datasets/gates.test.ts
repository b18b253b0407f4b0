import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createDataset, getDataset } from "../../../lib/contract/datasets/datasets.ts";
import { approveExperiment } from "../../../lib/contract/experiments/approval.ts";
import { compareExperiments, getExperiment } from "../../../lib/contract/experiments/experiments.ts";
import { createExperimentRun } from "../../../lib/contract/experiments/experiment-runs.ts";
import { evaluateGate, type GateReply } from "../../../lib/contract/experiments/gates.ts";
import { getTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { experimentsByName, scoreTraces, sendExperiment } from "../../support/experiments.ts";
import { problems, warningsOf } from "../../support/reply-shape.ts";
import { newProject } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";

const service = inject("service");

const items = Array.from({ length: 30 }, (_, at) => `item ${at}`);

/** Milliseconds since the epoch at which scores of an experiment are no longer expected. */
const longAgo = () => Date.now() - 600_000;

/** Sends experiments over a dataset in a new project, of which each item is scored by its place. */
const scoredExperiments = async (scoresOf: Readonly<Record<string, (at: number) => unknown>>) => {
  const project = newProject(service);
  const dataset = await project.answer(createDataset, { body: { name: "refunds" } });
  const tracesOf = new Map<string, readonly string[]>();
  for (const [name, valueAt] of Object.entries(scoresOf)) {
    const attributes = { "assay.experiment": name, "assay.dataset": "refunds", "input.value": `Question of ${name}` };
    const traces = await sendExperiment(project, attributes, items, { startedAt: longAgo(), latency: 200 });
    await scoreTraces(project, traces, "helpful", valueAt);
    tracesOf.set(name, traces);
  }
  const experiments = await experimentsByName(project, Object.keys(scoresOf).length);
  const idOf = (name: string): string => experiments.get(name)?.id ?? "";
  for (const { id } of experiments.values())
    await eventually(async () => {
      const { metrics } = await project.answer(getExperiment, { params: { experiment_id: id } });
      return metrics?.[0]?.judged_count === items.length || undefined;
    });
  const gate = (body: object, headers = {}) => project.call(evaluateGate, { body, headers });
  return { project, dataset, idOf, tracesOf, gate };
};

test.each([
  [{ metric: "helpful" }, "has one of"],
  [{ metric: "helpful", max_drop: 0, min_mean: 0 }, "has one of"],
  [{ max_drop: 0 }, "names its metric"],
  [{ metric: "helpful", max_cost_increase: 0 }, "names its metric"],
])("a gate with the rule %j is refused", async (rule, words) => {
  const project = newProject(service);

  const reply = await project.call(evaluateGate, { body: { candidate: "a", rules: [rule] } });

  expect(reply).toMatchObject({ status: 422, body: { detail: [{ msg: expect.stringContaining(words) }] } });
});

test("a gate and a comparison name a metric that no score has, and the nearest one", async () => {
  const { project, idOf, gate } = await scoredExperiments({ good: () => true });
  const metric_name = "task_completon";

  const gated = await gate({ candidate: idOf("good"), rules: [{ metric: metric_name, min_mean: 0.5 }] });
  const compared = await project.call(compareExperiments, {
    params: { experiment_id: idOf("good") },
    query: { baseline: idOf("good"), metric_name },
  });

  for (const reply of [gated, compared])
    expect(warningsOf(reply)).toEqual([expect.stringContaining('Did you mean "task_completion"?')]);
});

test("a gate names an unknown experiment as it was sent, and its side", async () => {
  const { project, dataset, idOf, gate } = await scoredExperiments({ good: () => true });
  const rules = [{ metric: "helpful", min_mean: 0 }];
  const params = { dataset_id: dataset.id };

  const replies = [
    await gate({ candidate: "qq", rules }),
    await gate({ candidate: idOf("good"), baseline: "qq", rules }),
    await project.call(approveExperiment, { params, body: { experiment_id: "qq" } }),
  ];

  expect(replies.map(({ status, body }) => [status, body])).toMatchObject([
    [404, { detail: "Candidate experiment qq not found." }],
    [404, { detail: "Baseline experiment qq not found." }],
    [404, { detail: "Experiment qq not found." }],
  ]);
});

test("a gate compares with the approved experiment, and a worse one is approved by force only", async () => {
  const { project, dataset, idOf, gate } = await scoredExperiments({ good: () => true, bad: (at) => at >= 20 });
  const params = { dataset_id: dataset.id };
  const approve = (experiment_id: string, more = {}) =>
    project.call(approveExperiment, { params, body: { experiment_id, ...more } });
  const body = { candidate: idOf("bad"), baseline: "approved", rules: [{ metric: "helpful", max_drop: 0.05 }] };

  expect(await gate(body)).toMatchObject({ status: 422 });
  expect(await approve(idOf("good"))).toMatchObject({ status: 200, body: { approved_experiment_id: idOf("good") } });
  expect(await gate(body)).toMatchObject({
    status: 200,
    body: { status: "fail", exit_code: 1, baseline: idOf("good"), is_paired: true, outcomes: [{ verdict: "fail" }] },
  });

  const refusal = await approve(idOf("bad"));
  expect(refusal).toMatchObject({
    status: 409,
    body: { detail: expect.stringMatching(/worse.* helpful by -0\.667/u) },
  });
  expect(await project.answer(getDataset, { params })).toMatchObject({ approved_experiment_id: idOf("good") });
  expect(await approve(idOf("bad"), { force: true })).toMatchObject({ status: 200 });
  const wider = { ...body, rules: [{ metric: "helpful", max_drop: 0.1 }] };
  expect(await gate(wider)).toMatchObject({ body: { status: "pass", baseline: idOf("bad") } });
  expect(await approve(idOf("good"))).toMatchObject({ status: 200 });
  expect(await approve(randomUUID())).toMatchObject({ status: 404 });
});

test("of experiments that are each worse than the other one is approved, even at the same time", async () => {
  const isGoodLater = (at: number) => at >= 20;
  const { project, dataset, idOf, tracesOf } = await scoredExperiments({ first: () => true, second: isGoodLater });
  await scoreTraces(project, tracesOf.get("first") ?? [], "polite", isGoodLater);
  await scoreTraces(project, tracesOf.get("second") ?? [], "polite", () => true);
  const params = { dataset_id: dataset.id };
  const approve = async (name: string) =>
    (await project.call(approveExperiment, { params, body: { experiment_id: idOf(name) } })).status;

  const statuses = await Promise.all(["first", "second"].map(approve));

  expect(statuses.toSorted()).toEqual([200, 409]);
});

test("a comment for a pull request names rules, verdicts, and both traces of the items that lost", async () => {
  const { idOf, gate } = await scoredExperiments({ good: () => true, bad: (at) => at >= 20 });
  const rules = [
    { metric: "helpful", max_drop: 0.05 },
    { metric: "polite | <b>", min_rate: 0.5, watch: true },
    { max_latency_increase: 0.1 },
  ];

  const { status, headers, text } = await gate(
    { candidate: idOf("bad"), baseline: idOf("good"), rules },
    { Accept: "text/markdown" },
  );

  expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "text/markdown; charset=utf-8" });
  expect(text).toContain("### The gate failed");
  expect(text).toMatch(
    /\| `helpful`: drop of at most 0\.05 \| 1 \| 0\.3333 \| -0\.6667 \(.*\) \| 30 \| \*\*fail\*\* \|/u,
  );
  expect(text).toContain("`polite <b>`: 50 % passed or more: no item has a score of this metric");
  const trace = String.raw`1 \[trace\]\(http[^)]*\/console#\/traces\/[0-9a-f-]{36}\)`;
  expect(text).toMatch(
    new RegExp(`\\| \`item \\d+\` \`Question of \\w+\` \\| ${trace} \\| ${trace.replace("1", "0")} \\|`, "u"),
  );
});

test("missing scores make a gate wait only while something can bring them", async () => {
  const { project, idOf, gate } = await scoredExperiments({ good: () => true });
  const body = (candidate: string) => ({ candidate, rules: [{ metric: "polite", min_mean: 0.5 }], wait: 1 });
  const open = { startedAt: Date.now() - 300_000, latency: null };
  await sendExperiment(project, { "assay.experiment": "young" }, ["a"], open);
  const young = (await experimentsByName(project, 2)).get("young")?.id ?? "";

  const awaited = { trace_ids: [expect.any(String)], run_ids: [] };
  expect(await gate(body(young))).toMatchObject({ body: { status: "running", exit_code: 3, awaited } });
  expect(await gate(body(idOf("good")))).toMatchObject({
    body: { status: "cannot_tell", exit_code: 3, outcomes: [{ reason: "no_scores", items: { unjudged: 30 } }] },
  });
  expect(await gate({ ...body(idOf("good")), on_cannot_tell: "fail" })).toMatchObject({ body: { exit_code: 1 } });
  expect(await gate({ ...body(idOf("good")), on_cannot_tell: "pass" })).toMatchObject({ body: { exit_code: 0 } });
});

test("a trace that has not ended in a day is not waited for, and its scores do not count", async () => {
  const project = newProject(service);
  const attributes = { "langfuse.experiment.name": "open", "langfuse.experiment.id": "open" };
  const sendOpen = (hours: number) =>
    sendExperiment(project, attributes, [`${hours} hours`], {
      startedAt: Date.now() - hours * 3_600_000,
      latency: null,
    });
  const traces = await sendExperiment(project, attributes, items, { startedAt: longAgo() });
  await scoreTraces(project, [...traces, ...(await sendOpen(25))], "helpful", () => true);
  const candidate = (await experimentsByName(project, 1)).get("open")?.id ?? "";
  const gateOnce = (isReady: (gate: GateReply) => boolean) =>
    eventually(async () => {
      const body = { candidate, rules: [{ metric: "helpful", min_rate: 0.5 }] };
      const reply = await project.answer(evaluateGate, { body });
      return isReady(reply) ? reply : undefined;
    });

  const gate = await gateOnce(({ outcomes }) => outcomes[0]?.items.compared === 30);
  expect(gate).toMatchObject({ status: "pass", awaited: null, outcomes: [{ items: { compared: 30, unjudged: 1 } }] });

  const [trace] = await sendOpen(23);
  await gateOnce(({ status, awaited }) => status === "running" && awaited?.trace_ids[0] === trace);
});

test("a release without an output for a third of the items does not pass by the others", async () => {
  const project = newProject(service);
  const attributes = { "assay.experiment": "mute", "input.value": "Is it open?" };
  await sendExperiment(project, { ...attributes, "output.value": "Yes." }, items.slice(0, 20), {
    startedAt: longAgo(),
  });
  await sendExperiment(project, attributes, items.slice(20), { startedAt: longAgo() });
  const candidate = (await experimentsByName(project, 1)).get("mute")?.id ?? "";
  const params = { experiment_id: candidate };
  await eventually(async () => (await project.answer(getExperiment, { params })).trace_count === 30 || undefined);
  await project.answer(createExperimentRun, { params, body: { metrics: ["task_completion"] } });
  const body = { candidate, rules: [{ metric: "task_completion", min_mean: 0 }] };

  const gate = await eventually(async () => {
    const reply = await project.answer(evaluateGate, { body });
    return reply.outcomes[0]?.items.unjudged === 0 ? reply : undefined;
  });

  expect(gate).toMatchObject({
    status: "cannot_tell",
    outcomes: [{ reason: "too_many_missing", items: { compared: 20, inapplicable: 10, lapsed: 10 } }],
  });
});

test("a gate waits for scores and answers as soon as they decide it", async () => {
  const project = newProject(service);
  const traces = await sendExperiment(project, { "assay.experiment": "late" }, items);
  const candidate = (await experimentsByName(project, 1)).get("late")?.id ?? "";
  const rules = [{ metric: "helpful", min_rate: 0.5 }];

  const waiting = project.answer(evaluateGate, { body: { candidate, rules, wait: 25 } });
  await scoreTraces(project, traces, "helpful", () => true);

  expect(await waiting).toMatchObject({ status: "pass", outcomes: [{ candidate_mean: 1 }] });
});

test("a gate waits for the scores of a run that has just ended", async () => {
  const { project, idOf, gate } = await scoredExperiments({ judged: () => true, other: () => true });
  const params = { experiment_id: idOf("judged") };
  const { id: run_id } = await project.answer(createExperimentRun, { params, body: { metrics: ["tool_correctness"] } });
  await eventually(async () => {
    const { status } = await project.answer(getTraceRun, { params: { run_id } });
    return status === "COMPLETED" || undefined;
  });
  const statusOf = async (metric: string) =>
    (await gate({ candidate: idOf("other"), rules: [{ metric, min_mean: 0.5 }] })).body;

  expect(await statusOf("tool_correctness")).toMatchObject({ status: "running" });
  expect(await statusOf("polite")).toMatchObject({ status: "cannot_tell" });
});

test("a rule that compares needs a baseline", async () => {
  const { idOf, gate } = await scoredExperiments({ good: () => true });
  const rules = [{ metric: "helpful", min_mean: 0 }, { max_latency_increase: 0 }];

  const reply = await gate({ candidate: idOf("good"), rules });

  expect([reply.status, problems(reply)]).toEqual([422, ["body.rules.1"]]);
});

test("traces that filters select are compared without pairs", async () => {
  const project = newProject(service);
  for (const [release, share] of [
    ["1", 0],
    ["2", 3],
  ] as const) {
    const attributes = { "langfuse.release": release };
    const traces = await sendExperiment(project, attributes, [...items, ...items], { startedAt: longAgo() });
    await scoreTraces(project, traces, "helpful", (at) => at % 4 >= share);
  }
  const rules = [
    { metric: "helpful", max_drop: 0.05 },
    { metric: "helpful", min_rate: 0.2 },
    { max_cost_increase: 0.1 },
  ];
  const body = { candidate: { release: "2" }, baseline: { release: "1" }, rules };

  const reply = await eventually(async () => {
    const each = await project.answer(evaluateGate, { body });
    return each.outcomes[0]?.items.unjudged === 0 && each.outcomes[0].count === 60 ? each : undefined;
  });

  expect(reply).toMatchObject({
    status: "fail",
    candidate: null,
    is_paired: false,
    outcomes: [
      { verdict: "fail", mean: -0.75, baseline_mean: 1, candidate_mean: 0.25, regressions: [] },
      { verdict: "cannot_tell", mean: 0.25, count: 60 },
      { verdict: "cannot_tell", reason: "too_few" },
    ],
  });
  await sendExperiment(project, { "langfuse.release": "2" }, items, { startedAt: longAgo() });
  await eventually(async () => {
    const { outcomes } = await project.answer(evaluateGate, { body });
    return outcomes[0]?.items.unjudged === 30 || undefined;
  });
  const { text } = await project.call(evaluateGate, { body, headers: { Accept: "text/markdown" } });
  expect(text).toContain("drop of at most 0.05: 30 traces have no score: the others decide;");
  expect(text).toContain("20 % passed or more: 60 of 90 traces have a score: they decide;");
  const unknown = await project.call(evaluateGate, { body: { ...body, candidate: { relase: "2" } } });
  expect(unknown).toMatchObject({ status: 422, text: expect.stringContaining("release") });
});
