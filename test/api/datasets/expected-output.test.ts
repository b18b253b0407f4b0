import { expect, inject, test } from "vitest";
import { createDataset, updateDataset } from "../../../lib/contract/datasets/datasets.ts";
import { createDatasetItems, deleteDatasetItem, updateDatasetItem } from "../../../lib/contract/datasets/items.ts";
import { createCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { importCustomMetric } from "../../../lib/contract/metrics/metric-sources.ts";
import { previewCustomMetric } from "../../../lib/contract/metrics/preview.ts";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { createTraceRun, getTraceRun, listTraceRunScores } from "../../../lib/contract/runs/trace-runs.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { someMetric } from "../../support/custom-metric.ts";
import { hexId, jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { newProject, type Client } from "../../support/service/client.ts";

const service = inject("service");

/** Sends a trace with an output and attributes. @returns its id. */
const sendTrace = async (
  project: Client,
  output: string,
  attributes: Readonly<Record<string, string>> = {},
  millisecondsAgo = 0,
): Promise<string> => {
  const [trace, now] = [hexId(16), `${Date.now() - millisecondsAgo}000000`];
  const span = jsonSpan(
    trace,
    hexId(8),
    { startTimeUnixNano: now, endTimeUnixNano: now },
    {
      "input.value": "Which city?",
      "output.value": output,
      ...attributes,
    },
  );
  await project.answer(exportTraces, { body: jsonExport([span]) });
  return traceUuid(trace);
};

const attributesOf = (dataset: string, item: string) => ({
  "assay.dataset": dataset,
  "assay.experiment": "release 7",
  "assay.experiment.item": item,
});

const expected = { reference: "expected_output" };
const checks = {
  same: { type: "equals", ...expected },
  folded: { type: "equals_ignoring_case", ...expected },
  within: { type: "contains", ...expected },
  value: { type: "json_equals", ...expected },
  similar: { type: "similarity_at_least", ...expected, similarity: 0.75 },
};

const createCheck = (project: Client, name: string, check: object) =>
  project.answer(createCustomMetric, {
    body: { name, kind: "check", description: "Evaluates whether the output is the expected one.", check },
  });

/** Runs metrics over all traces. @returns the value of each trace and metric, or the code of an inapplicable one. */
const scoresOf = async (project: Client, metrics: readonly string[], traces: readonly string[]) => {
  const run = await project.answer(createTraceRun, { body: { metrics } });
  await endedRun(project, run);
  const { items } = await project.page(listTraceRunScores, { params: { run_id: run.id }, query: { limit: 100 } });
  const scores = traces.map((trace) =>
    Object.fromEntries(
      items
        .filter(({ trace_id }) => trace_id === trace)
        .map(({ name, value, applicable, inapplicable_code }) => [name, applicable ? value : inapplicable_code]),
    ),
  );
  return { scores, run: await project.answer(getTraceRun, { params: { run_id: run.id } }) };
};

test("checks compare with the item as it was when its experiment began, and cost nothing", async () => {
  const project = newProject(service);
  const dataset = await project.answer(createDataset, { body: { name: "cities" } });
  const params = { dataset_id: dataset.id };
  const items = [
    { id: "text", input: "?", expected_output: "Paris" },
    { id: "value", input: "?", expected_output: { city: "Paris", rank: 1 } },
    { id: "open", input: "?" },
    { id: "gone", input: "?", expected_output: "Paris" },
  ];
  await project.answer(createDatasetItems, { params, body: { items } });
  for (const [name, check] of Object.entries(checks)) await createCheck(project, name, check);

  const traces = [
    await sendTrace(project, "Paris", attributesOf("cities", "text")),
    await sendTrace(project, "PARIS", attributesOf(dataset.id, "text")),
    await sendTrace(project, "Pari!", attributesOf("cities", "text")),
    await sendTrace(project, '{"rank": 1.0e0, "city": "Paris"}', attributesOf("cities", "value")),
    await sendTrace(project, "Paris", attributesOf("cities", "gone")),
  ];
  const inapplicable = [
    await sendTrace(project, "Paris"),
    await sendTrace(project, "Paris", attributesOf("cities", "open")),
    await sendTrace(project, "Paris", attributesOf("cities", "unknown")),
    await sendTrace(project, "Paris", attributesOf("unknown", "text")),
    await sendTrace(project, "Paris", { ...attributesOf("cities", "text"), "assay.experiment": "before" }, 3_600_000),
  ];
  const before = await scoresOf(project, Object.keys(checks), [...traces, ...inapplicable]);
  const [no, yes] = ["0.0", "1.0"];

  expect(before.scores.slice(0, traces.length)).toEqual([
    { same: yes, folded: yes, within: yes, value: yes, similar: yes },
    { same: no, folded: yes, within: no, value: no, similar: no },
    { same: no, folded: no, within: no, value: no, similar: yes },
    { same: no, folded: no, within: no, value: yes, similar: no },
    { same: yes, folded: yes, within: yes, value: yes, similar: yes },
  ]);
  for (const scores of before.scores.slice(traces.length))
    expect(scores).toEqual(Object.fromEntries(Object.keys(checks).map((name) => [name, "no_expected_output"])));
  expect(before.run).toMatchObject({ status: "COMPLETED", judge_usage: { calls: 0, cost_usd: 0 } });

  await project.answer(updateDatasetItem, {
    params: { ...params, item_id: "text" },
    body: { expected_output: "Rome" },
  });
  await project.answer(deleteDatasetItem, { params: { ...params, item_id: "gone" } });
  const later = await sendTrace(project, "Rome", attributesOf("cities", "text"));
  const again = await scoresOf(project, Object.keys(checks), [...traces, later]);

  expect(again.scores.slice(0, traces.length)).toEqual(before.scores.slice(0, traces.length));
  // A later trace of the same experiment has its items too.
  expect(again.scores.at(-1)).toMatchObject({ same: no });
});

test("a judge is shown the expected output of a trace's item, and is not asked about a trace without one", async () => {
  const project = newProject(service);
  const dataset = await project.answer(createDataset, { body: { name: "cities" } });
  const items = [{ id: "text", input: "?", expected_output: { city: "Paris" } }];
  await project.answer(createDatasetItems, { params: { dataset_id: dataset.id }, body: { items } });
  const traces = [await sendTrace(project, "Lyon", attributesOf("cities", "text")), await sendTrace(project, "Lyon")];
  const metric = { ...someMetric("agrees"), evidence: ["transcript", "expected_output"] };
  const preview = await project.answer(previewCustomMetric, {
    query: { dry_run: "true" },
    body: { metric, trace_ids: traces },
  });
  const session = await project.call(createCustomMetric, { body: { ...metric, target_type: "SESSION" } });
  await project.answer(createCustomMetric, { body: metric });
  const { scores } = await scoresOf(project, ["agrees"], traces);

  expect(preview.items[0]?.messages[0]?.user).toMatch(
    /Notes: the expected output\n<<<<< NOTES \w+ BEGINS >>>>>\n\{\n "city": "Paris"\n\}\n<<<<< NOTES \w+ ENDS >>>>>/u,
  );
  expect(preview.items[1]).toMatchObject({
    messages: [],
    estimated_cost_usd: 0,
    score: { applicable: false, inapplicable_code: "no_expected_output" },
  });
  expect([session.status, session.text]).toEqual([422, expect.stringContaining("A session has no expected output")]);
  expect(scores[1]).toEqual({ agrees: "no_expected_output" });
});

test("a grader that compares with a field of its items becomes a check of the expected output", async () => {
  const project = newProject(service);
  const grader = {
    type: "string_check",
    name: "label",
    operation: "eq",
    input: "{{sample.output_text}}",
    reference: "{{item.label}}",
  };
  const { notes } = await project.answer(importCustomMetric, { body: { metric: grader } });
  const dataset = await project.answer(createDataset, { body: { name: "cities" } });
  const items = [{ id: "text", input: "?", expected_output: "Paris" }];
  await project.answer(createDatasetItems, { params: { dataset_id: dataset.id }, body: { items } });
  const traces = [await sendTrace(project, "Paris", attributesOf("cities", "text"))];

  expect(notes).toContain(`"label" is the expected output of the dataset's item now.`);
  expect((await scoresOf(project, ["label"], traces)).scores).toEqual([{ label: "1.0" }]);
});

test("a renamed dataset is found by its id and its new name alone", async () => {
  const project = newProject(service);
  const dataset = await project.answer(createDataset, { body: { name: "cities" } });
  const params = { dataset_id: dataset.id };
  const items = [
    { id: "text", input: "?", expected_output: "Paris" },
    { id: "empty", input: "?", expected_output: "" },
  ];
  await project.answer(createDatasetItems, { params, body: { items } });
  await createCheck(project, "same", { type: "equals", reference: "expected_output" });
  await project.answer(updateDataset, { params, body: { name: "towns" } });
  const traces = [
    await sendTrace(project, "Paris", attributesOf("cities", "text")),
    await sendTrace(project, "Paris", attributesOf(dataset.id, "text")),
    await sendTrace(project, "Paris", attributesOf("towns", "text")),
    await sendTrace(project, "Paris", attributesOf("towns", "empty")),
  ];

  expect((await scoresOf(project, ["same"], traces)).scores).toEqual(
    ["no_expected_output", "1.0", "1.0", "no_expected_output"].map((same) => ({ same })),
  );
});
