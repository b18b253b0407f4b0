import { expect, inject, test } from "vitest";
import { listLabelItems, uploadLabels } from "../../../lib/contract/labels/label-items.ts";
import { computeTrust, getTrust } from "../../../lib/contract/labels/trust.ts";
import { createCustomMetric, updateCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { createTraceBatchRun, createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { updateTrace } from "../../../lib/contract/traces/changes.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { newLabelSet } from "../../support/labels.ts";
import { problems } from "../../support/reply-shape.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { newProject, type Client } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");
const metric_name = "no_error";

/** Stores traces with these outputs. */
const store = async (project: Client, outputs: readonly string[]) => {
  const traces = outputs.map((output) => someTrace({ output }));
  await project.answer(createTraces, { body: { traces } });
  return traces.map(({ trace_id }) => trace_id);
};

/** A check of the output stands for a judge: it passes the first twelve of 24 traces; two more it has not judged. */
const judgedProject = async () => {
  const project = newProject(service);
  const traces = await store(
    project,
    Array.from({ length: 24 }, (_, at) => (at < 12 ? `Sent ${at}.` : `Error ${at}.`)),
  );
  const check = { type: "lacks", text: "Error" };
  const description = "Tells whether the answer is an error.";
  await project.answer(createCustomMetric, { body: { name: metric_name, kind: "check", description, check } });
  await endedRun(project, await project.answer(createTraceRun, { body: { metrics: [metric_name] } }));
  await eventually(async () =>
    (await project.page(listTraceScores, { query: { limit: 50 } })).total === 24 ? true : undefined,
  );
  return { project, traces: [...traces, ...(await store(project, ["Late.", "Later."]))] };
};

const upload = (
  project: Client,
  set_id: string,
  labels: readonly (readonly [trace: string, by: string, value: unknown])[],
) =>
  project.answer(uploadLabels, {
    params: { set_id },
    body: {
      items: labels.map(([trace_id, labeller, value]) => ({ trace_id, labeller, labels: { [metric_name]: value } })),
    },
  });

test("a judge is compared with the labels of people, whose ties and unknowns do not count", async () => {
  const { project, traces } = await judgedProject();
  const metrics = [{ name: metric_name }];
  const { id: set_id } = await newLabelSet(project, { metrics, labels_per_item: 2, trace_ids: traces, size: 26 });
  const params = { set_id };
  const at = (index: number) => traces[index] ?? "";
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
  await upload(project, set_id, [
    // Nine of the twelve that pass are labelled so, two are not, and one divides people.
    ...range(0, 9).map((index) => [at(index), "Ada", 1] as const),
    ...range(9, 11).map((index) => [at(index), "Ada", 0] as const),
    [at(11), "Ada", 1],
    [at(11), "Bob", 0],
    // One of those that fail is labelled as passing, nobody can tell another one.
    [at(12), "Ada", 0.5],
    [at(13), "Ada", "cannot_tell"],
    ...range(14, 24).map((index) => [at(index), "Ada", 0] as const),
    ...range(14, 18).map((index) => [at(index), "Bob", 0] as const),
    [at(24), "Ada", 1],
  ]);

  const trust = await project.answer(computeTrust, { params, body: { metric: metric_name } });

  expect(trust).toMatchObject({
    n: 22,
    confusion: { tp: 9, fp: 2, fn: 1, tn: 10 },
    ties: 1,
    cannot_tell: 1,
    missing: 1,
    is_test: true,
    sensitivity: { value: 0.9 },
    people: { pairs: 5, agreement: 0.8 },
    half: "all",
    judge: null,
  });
  expect(trust.kappa.value).toBeCloseTo(8 / 11, 9);
  expect(
    trust.disagreements.map(({ trace_id, cell, label, verdict }) => [trace_id, cell, label, verdict]).toSorted(),
  ).toEqual(
    [
      [at(9), "fp", "0", "1.0"],
      [at(10), "fp", "0", "1.0"],
      [at(12), "fn", "0.5", "0.0"],
    ].toSorted(),
  );
  expect(await project.answer(getTrust, { params, query: { metric: metric_name } })).toEqual(trust);
  const cell = await project.answer(listLabelItems, { params, query: { metric: metric_name, cell: "fp" } });
  expect(cell.items.map(({ trace_id }) => trace_id).toSorted()).toEqual([at(9), at(10)].toSorted());

  // A verdict about later content is none about what was labelled.
  await project.answer(updateTrace, { params: { trace_id: at(0) }, body: { output: "Error now." } });
  const again = { metrics: [metric_name], trace_ids: [at(0)] };
  await endedRun(project, await project.answer(createTraceBatchRun, { body: again }));
  const { confusion } = await project.answer(computeTrust, { params, body: { metric: metric_name } });
  expect(confusion).toEqual(trust.confusion);

  const halves = [];
  for (const half of ["dev", "test"])
    halves.push((await project.answer(computeTrust, { params, body: { metric: metric_name, half, split: true } })).n);
  expect(halves.reduce((sum, n) => sum + n)).toBe(22);

  const other = await project.answer(computeTrust, { params, body: { metric: metric_name, judge: "openai/gpt-5.4" } });
  expect(other).toMatchObject({ n: 0, fit_for: "unknown", kappa: { value: null } });

  await project.answer(updateCustomMetric, {
    params: { metric_name },
    body: { check: { type: "lacks", text: "Failure" } },
  });
  expect((await project.answer(computeTrust, { params, body: { metric: metric_name } })).is_test).toBe(false);
});

test.each([
  [{ metric: "no_eror" }, "body.metric", "no_error"],
  [{ metric: "tone" }, "body.metric", "only counted"],
  [{ metric: "no_error", half: "dev" }, "body", "split"],
])("a comparison with %j is refused", async (body, place, words) => {
  const project = newProject(service);
  const trace_ids = await store(
    project,
    Array.from({ length: 20 }, (_, at) => `Sent ${at}.`),
  );
  const nominal = { data_type: "CATEGORICAL", categories: ["a", "b"], passing: [] };
  const metrics = [
    { name: "no_error", scale: { data_type: "BOOLEAN" } },
    { name: "tone", scale: nominal },
  ];
  const { id: set_id } = await newLabelSet(project, { metrics, trace_ids });

  const reply = await project.call(computeTrust, { params: { set_id }, body });

  expect(problems(reply)).toEqual([place]);
  expect(reply.text).toContain(words);
  expect(await project.call(getTrust, { params: { set_id }, query: { metric: "no_error" } })).toMatchObject({
    status: 404,
  });
});
