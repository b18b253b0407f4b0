import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createDataset } from "../../../lib/contract/datasets/datasets.ts";
import { createDatasetItems } from "../../../lib/contract/datasets/items.ts";
import {
  compareExperiments,
  getExperiment,
  listExperimentItems,
  listExperiments,
} from "../../../lib/contract/experiments/experiments.ts";
import { createExperimentRun } from "../../../lib/contract/experiments/experiment-runs.ts";
import { evaluateGate } from "../../../lib/contract/experiments/gates.ts";
import { deleteTrace } from "../../../lib/contract/traces/deletion.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { experimentsByName, scoreTraces, sendExperiment } from "../../support/experiments.ts";
import { newProject } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";

const service = inject("service");

test("two experiments over a dataset are compared item by item, and a repeat of an item is no further item", async () => {
  const project = newProject(service);
  const names = Array.from({ length: 24 }, (_, at) => `item ${at}`);
  const dataset = await project.answer(createDataset, { body: { name: "refunds" } });
  const params = { dataset_id: dataset.id };
  await project.answer(createDatasetItems, { params, body: { items: names.map((id) => ({ id, input: id })) } });

  const attributes = (experiment: string) => ({ "assay.experiment": experiment, "assay.dataset": "refunds" });
  const before = await sendExperiment(project, attributes("release 1"), names);
  const after = await sendExperiment(project, attributes("release 2"), [...names.slice(0, 23), "item 0"]);
  await scoreTraces(project, before, "helpful", (at) => at % 2 === 1);
  await scoreTraces(project, after, "helpful", (at) => at === 23);

  const experiments = await experimentsByName(project, 2);
  const experiment_id = experiments.get("release 2")?.id ?? "";
  const summary = await eventually(async () => {
    const each = await project.answer(getExperiment, { params: { experiment_id } });
    return each.trace_count === 24 ? each : undefined;
  });
  expect(summary).toMatchObject({ name: "release 2", dataset: "refunds", item_count: 23, missing_count: 1 });

  const baseline = experiments.get("release 1")?.id ?? "";
  const comparison = await eventually(async () => {
    const each = await project.answer(compareExperiments, { params: { experiment_id }, query: { baseline } });
    return each.metrics[0]?.items.unjudged === 0 && each.metrics[0].items.compared === 23 ? each : undefined;
  });

  // The eleven items with odd numbers fell from 1 to 0; item 0 has 0 and 1 now.
  expect(comparison).toMatchObject({
    verdict: "worse",
    metrics: [
      {
        metric_name: "helpful",
        verdict: "worse",
        items: { compared: 23, missing: 1, unjudged: 0, repeated: 1, duplicated: 1, retired: 0 },
        count: 23,
        mean: expect.closeTo(-10.5 / 23),
        regression_count: 11,
        improvement_count: 1,
        newly_failed_count: 11,
        newly_passed_count: 0,
        improvements: [{ item_name: "item 0", baseline: { value: 0 }, candidate: { value: 0.5 }, difference: 0.5 }],
      },
    ],
    cost: { verdict: "cannot_tell", reason: "too_few", mean: 0 },
    latency: { count: 23, regression_count: 0 },
  });
  expect(comparison.metrics[0]?.interval?.upper).toBeLessThan(0);
  const one = { baseline, metric_name: "helpful" };
  const { metrics } = await project.answer(compareExperiments, { params: { experiment_id }, query: one });
  expect(metrics).toEqual(comparison.metrics);
  const tolerant = { baseline, max_drop: 0.99 };
  expect(await project.answer(compareExperiments, { params: { experiment_id }, query: tolerant })).toMatchObject({
    metrics: [{ verdict: "not_worse" }],
  });
  expect(await project.answer(getExperiment, { params: { experiment_id } })).toMatchObject({
    continued_at: null,
    metrics: [{ metric_name: "helpful", judged_count: 24, failed_count: 0, mean: expect.closeTo(1 / 24) }],
  });

  const gate = (rules: readonly object[], more: object = {}) =>
    project.answer(evaluateGate, { body: { candidate: experiment_id, baseline, rules, ...more } });
  expect(await gate([{ metric: "helpful", max_drop: 0 }])).toMatchObject({ status: "fail", exit_code: 1 });
  expect(await gate([{ metric: "helpful", max_drop: 0, watch: true }, { max_cost_increase: 0 }])).toMatchObject({
    status: "cannot_tell",
    exit_code: 3,
    outcomes: [{ verdict: "fail" }, { verdict: "cannot_tell", reason: "too_few" }],
  });
  expect(await gate([{ metric: "helpful", max_drop: 0.9 }])).toMatchObject({ status: "pass", exit_code: 0 });
  const unjudged = {
    status: "running",
    exit_code: 3,
    outcomes: [{ items: { unjudged: 23 }, reason: "no_scores" }],
  };
  expect(await gate([{ metric: "other", max_drop: 0 }], { on_cannot_tell: "pass" })).toMatchObject(unjudged);

  const page = await project.answer(listExperimentItems, { params: { experiment_id }, query: { limit: 5 } });
  expect(page).toMatchObject({ total: 23, items: { length: 5 } });
  expect(page.items.flatMap(({ traces }) => traces.flatMap(({ scores }) => scores.map(({ name }) => name)))).toContain(
    "helpful",
  );
});

test("an experiment is known by the id of Langfuse's SDKs, and a deleted trace leaves it", async () => {
  const project = newProject(service);
  const id = `run-${randomUUID()}`;
  const attributes = { "langfuse.experiment.id": id, "langfuse.experiment.name": "nightly" };
  const [first = "", second = ""] = await sendExperiment(project, attributes, ["a", "b"]);
  const traceCount = (count: number) =>
    eventually(async () => {
      const reply = await project.call(getExperiment, { params: { experiment_id: id } });
      return reply.status === 200 && reply.body.trace_count === count ? reply.body : undefined;
    });

  expect(await traceCount(2)).toMatchObject({ name: "nightly", dataset: null });

  await project.call(deleteTrace, { params: { trace_id: first } });

  await traceCount(1);
  const { items } = await project.answer(listExperimentItems, { params: { experiment_id: id } });
  expect(items).toMatchObject([{ traces: [{ trace_id: second }] }]);
});

test("a run over an experiment judges its traces, and is estimated before", async () => {
  const project = newProject(service);
  await sendExperiment(project, { "assay.experiment": "judged", "input.value": "Is it open?" }, ["a", "b", "c"]);
  const experiment_id = (await experimentsByName(project, 1)).get("judged")?.id ?? "";
  const params = { experiment_id };
  await eventually(async () => (await project.answer(getExperiment, { params })).trace_count === 3 || undefined);
  const body = { metrics: ["task_completion"] };
  const headers = { "Idempotency-Key": randomUUID() };

  const estimate = await project.call(createExperimentRun, { params, body, query: { dry_run: "true" } });
  const run = await project.answer(createExperimentRun, { params, body, headers });
  const again = await project.call(createExperimentRun, { params, body, headers });

  expect(estimate).toMatchObject({ status: 200, body: { targets: 3 } });
  expect(again.body).toMatchObject({ id: run.id, total_traces: 3 });
  const { metrics } = await eventually(async () => {
    const each = await project.answer(getExperiment, { params });
    return each.metrics?.[0]?.judged_count === 3 ? each : undefined;
  });
  expect(metrics).toMatchObject([{ metric_name: "task_completion", failed_count: 0 }]);
  const unknown = await project.call(createExperimentRun, { params: { experiment_id: randomUUID() }, body });
  expect(unknown.status).toBe(404);
});

test("a second run under a name continues the experiment until a day after, and the reply says so", async () => {
  const project = newProject(service);
  const now = Date.now();
  const attributes = { "assay.experiment": "nightly", "assay.dataset": "d" };
  const send = (hoursAgo: number) =>
    sendExperiment(project, attributes, ["a", "b"], { startedAt: now - hoursAgo * 3_600_000 });
  await send(40);
  await send(30);
  await eventually(async () => {
    const [one] = (await project.answer(listExperiments)).items;
    const summary = one && (await project.answer(getExperiment, { params: { experiment_id: one.id } }));
    return summary?.trace_count === 4 || undefined;
  });

  await send(0);

  const experiments = await eventually(async () => {
    const { items } = await project.answer(listExperiments, { query: { name: "nightly" } });
    return items.length === 2 ? items : undefined;
  });
  const summaries = await eventually(async () => {
    const each = await Promise.all(
      experiments.map(({ id }) => project.answer(getExperiment, { params: { experiment_id: id } })),
    );
    return each[0]?.trace_count === 2 ? each : undefined;
  });
  const at = (hoursAgo: number) => instantAt(now - hoursAgo * 3_600_000);
  expect(summaries).toMatchObject([
    { name: "nightly", started_at: at(0), trace_count: 2, continued_at: null },
    { name: "nightly", started_at: at(40), trace_count: 4, item_count: 2, continued_at: at(30) },
  ]);
});

test("experiments that began at the same instant are all on the pages of the list", async () => {
  const project = newProject(service);
  const names = ["one", "two", "three"];
  const startedAt = Date.now();
  for (const name of names) await sendExperiment(project, { "assay.experiment": name }, ["item"], { startedAt });
  await experimentsByName(project, 3);

  const listed: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = { limit: 1, ...(cursor !== undefined && { cursor }) };
    const { items, next_cursor } = await project.answer(listExperiments, { query });
    listed.push(...items.map(({ name }) => name));
    cursor = next_cursor;
  }

  expect(listed.toSorted()).toEqual(names.toSorted());
});
