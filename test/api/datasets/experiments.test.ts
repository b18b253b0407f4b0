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
import { evaluateGate } from "../../../lib/contract/experiments/gates.ts";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { createTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { deleteTrace } from "../../../lib/contract/traces/deletion.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";
import { newProject } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";

const service = inject("service");

const hex = (bytes: number): string =>
  randomUUID()
    .replaceAll("-", "")
    .slice(0, 2 * bytes);

/** Sends a trace for each item and returns the traces' ids. */
const runExperiment = async (
  project: ReturnType<typeof newProject>,
  attributes: Readonly<Record<string, string>>,
  items: readonly string[],
): Promise<readonly string[]> => {
  const traces = items.map(() => hex(16));
  const now = `${Date.now()}000000`;
  const times = { startTimeUnixNano: now, endTimeUnixNano: now };
  const spans = traces.map((trace, at) =>
    jsonSpan(trace, hex(8), times, { ...attributes, "assay.experiment.item": items[at] ?? "" }),
  );
  await project.answer(exportTraces, { body: jsonExport(spans) });
  return traces.map(traceUuid);
};

test("two experiments over a dataset are compared item by item, and a repeat of an item is no further item", async () => {
  const project = newProject(service);
  const names = Array.from({ length: 24 }, (_, at) => `item ${at}`);
  const dataset = await project.answer(createDataset, { body: { name: "refunds" } });
  const params = { dataset_id: dataset.id };
  await project.answer(createDatasetItems, { params, body: { items: names.map((id) => ({ id, input: id })) } });

  const attributes = (experiment: string) => ({ "assay.experiment": experiment, "assay.dataset": "refunds" });
  const before = await runExperiment(project, attributes("release 1"), names);
  const after = await runExperiment(project, attributes("release 2"), [...names.slice(0, 23), "item 0"]);
  const score = (trace_id: string, value: number) =>
    project.answer(createTraceScore, { body: { trace_id, name: "helpful", value } });
  for (const [at, trace] of before.entries()) await score(trace, at % 2);
  for (const [at, trace] of after.entries()) await score(trace, at === 23 ? 1 : 0);

  const { items: found } = await eventually(async () => {
    const page = await project.answer(listExperiments);
    return page.total === 2 ? page : undefined;
  });
  const ids = new Map(found.map(({ name, id }) => [name, id]));
  const experiment_id = ids.get("release 2") ?? "";
  const summary = await eventually(async () => {
    const each = await project.answer(getExperiment, { params: { experiment_id } });
    return each.trace_count === 24 ? each : undefined;
  });
  expect(summary).toMatchObject({ name: "release 2", dataset: "refunds", item_count: 23, missing_count: 1 });

  const query = { baseline: ids.get("release 1") ?? "", metric_name: "helpful" };
  const comparison = await eventually(async () => {
    const each = await project.answer(compareExperiments, { params: { experiment_id }, query });
    return each.items.unjudged === 0 && each.items.compared === 23 ? each : undefined;
  });

  // The eleven items with odd numbers fell from 1 to 0; item 0 has 0 and 1 now.
  expect(comparison).toMatchObject({
    items: { compared: 23, missing: 1, unjudged: 0, repeated: 1 },
    count: 23,
    mean: expect.closeTo(-10.5 / 23),
    regression_count: 11,
    improvement_count: 1,
    improvements: [{ baseline: { value: 0 }, candidate: { value: 0.5 }, difference: 0.5 }],
  });
  expect(comparison.interval?.upper).toBeLessThan(0);

  const gate = (rules: readonly object[], more: object = {}) =>
    project.answer(evaluateGate, { body: { candidate: experiment_id, baseline: query.baseline, rules, ...more } });
  expect(await gate([{ metric: "helpful", max_drop: 0 }])).toMatchObject({ status: "fail", exit_code: 1 });
  expect(await gate([{ metric: "helpful", max_drop: 0, watch: true }, { max_cost_increase: 0 }])).toMatchObject({
    status: "cannot_tell",
    exit_code: 3,
    outcomes: [{ verdict: "fail" }, { verdict: "cannot_tell", reason: "too_few" }],
  });
  expect(await gate([{ metric: "helpful", max_drop: 0.9 }])).toMatchObject({ status: "pass", exit_code: 0 });
  const unjudged = {
    status: "running",
    exit_code: 0,
    outcomes: [{ items: { unjudged: 23 }, reason: "too_many_missing" }],
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
  const [first = "", second = ""] = await runExperiment(project, attributes, ["a", "b"]);
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
