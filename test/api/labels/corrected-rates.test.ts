import { beforeAll, expect, inject, test } from "vitest";
import { compareExperiments, getExperiment } from "../../../lib/contract/experiments/experiments.ts";
import { evaluateGate } from "../../../lib/contract/experiments/gates.ts";
import { createCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { uploadLabels } from "../../../lib/contract/labels/label-items.ts";
import { createLabelSet, deleteLabelSet } from "../../../lib/contract/labels/label-sets.ts";
import { computeTrust } from "../../../lib/contract/labels/trust.ts";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { getTraceScoreSummary, getTraceScoreTrend } from "../../../lib/contract/scores/analytics.ts";
import { compareTraceScores } from "../../../lib/contract/scores/comparison.ts";
import { listTraceScores, updateTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import type { JudgeCalibration } from "../../../lib/domain/labels/correction.ts";
import { trustStore } from "../../../lib/store/labels/trust.ts";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { experimentsByName } from "../../support/experiments.ts";
import { hexId, jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";
import { newLabelSet } from "../../support/labels.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { newProject, type Client } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { databaseAt } from "../../support/service/service-database.ts";

const service = inject("service");
const trust = trustStore(databaseAt(inject("storage")));
const metric_name = "no_error";

/** A check of the answer stands for a judge: it passes the first of these and fails the second. */
const [passing, failing] = ["Your order left the warehouse.", "Error: the request failed."];
const check = { type: "lacks", text: "Error" };

/** Number of passing ones among the thirty traces of each release, which are an experiment too. */
const passes = { r1: 20, r2: 10 };
const size = 30;

/** Sensitivity 0.9 and specificity 0.8, each of fifty labels. */
const confusion = { tp: 45, fp: 10, fn: 5, tn: 40 };
const correctedOf = (rate: number): number => (rate + 0.8 - 1) / 0.7;

const query = { metric_name, group_by: ["release"] };

let client: Client;
let ownId: string;
let judge: string;

/** Judges thirty traces of each release in a new project. */
const judgedProject = async () => {
  const project = newProject(service);
  const startTimeUnixNano = `${Date.now() - 600_000}000000`;
  const spans = Object.entries(passes).flatMap(([release, count]) =>
    Array.from({ length: size }, (_, at) =>
      jsonSpan(
        hexId(16),
        hexId(8),
        { startTimeUnixNano, endTimeUnixNano: startTimeUnixNano, status: { code: 1 } },
        {
          "langfuse.release": release,
          "assay.experiment": release,
          "assay.experiment.item": `item ${at}`,
          "input.value": "Where is my order?",
          "output.value": at < count ? passing : failing,
        },
      ),
    ),
  );
  await project.answer(exportTraces, { body: jsonExport(spans) });
  await project.answer(createCustomMetric, {
    body: { name: metric_name, kind: "check", description: "Tells whether the answer is an error.", check },
  });
  await endedRun(project, await project.answer(createTraceRun, { body: { metrics: [metric_name] } }));
  const scores = await eventually(async () => {
    const { items, total } = await project.answer(listTraceScores, { query: { limit: "100" } });
    return total === 2 * size ? items : undefined;
  });
  await eventually(async () => {
    const { total } = await project.answer(listTraces, { query: { score: [`${metric_name}>=0`] } });
    return total === 2 * size || undefined;
  });
  return { project, scores, id: scores[0]?.project_id ?? "" };
};

/** Records what the labels of a set say of the judge. */
const record = (set: string, fields: Partial<JudgeCalibration> = {}, id = ownId) =>
  trust.record(id, metric_name, set, [{ judge, isRandom: true, confusion, ...fields }]);

const newSet = async (project: Client): Promise<string> => (await newLabelSet(project, { size: 20 })).id;

const summaries = (project = client) =>
  project.answer(getTraceScoreSummary, { query: { ...query, corrected: "true" } });

const reasonsOf = async (project: Client) => (await summaries(project)).map(({ corrected }) => corrected?.reason);

const close = (value: number): unknown => expect.closeTo(value, 9);

/** Corrected rate of a release in replies. */
const correction = (release: keyof typeof passes) => {
  const rate = passes[release] / size;
  const ends = { lower: expect.any(Number), upper: expect.any(Number), label_set_id: expect.any(String) };
  return { judge_rate: close(rate), rate: close(correctedOf(rate)), ...ends, n_labels: 100, reason: null };
};

beforeAll(async () => {
  const { project, scores, id } = await judgedProject();
  [client, ownId] = [project, id];
  judge = scores[0]?.judge?.id ?? "";
  await record(await newSet(client));
});

test("summaries, trends and comparisons have the rate that labels make of the judge's, and without `corrected` none", async () => {
  const [r1, r2] = [correction("r1"), correction("r2")];
  const all = { ...r1, judge_rate: close(0.5), rate: close(correctedOf(0.5)) };
  const compared = { metric_name, baseline: "release:r1", candidate: "release:r2" };

  expect((await summaries()).map(({ group, corrected }) => [group?.["release"], corrected])).toEqual([
    ["r1", r1],
    ["r2", r2],
  ]);
  expect(await client.answer(getTraceScoreSummary, { query: { corrected: "true" } })).toMatchObject([
    { unit: "trace", pass_rate: { value: close(0.5) }, corrected: all },
  ]);
  expect(await client.answer(getTraceScoreTrend, { query: { metric_name, corrected: "true" } })).toMatchObject([
    { pass_rate: { value: close(0.5) }, corrected: all },
  ]);
  expect(await client.answer(compareTraceScores, { query: { ...compared, corrected: "true" } })).toMatchObject({
    baseline: { corrected: r1 },
    candidate: { corrected: r2 },
  });
  const without = [
    await client.answer(getTraceScoreSummary, { query }),
    await client.answer(getTraceScoreTrend, { query: { metric_name } }),
    await client.answer(compareTraceScores, { query: compared }),
  ];
  expect(JSON.stringify(without)).not.toContain("corrected");
});

test("an interval of a corrected rate is wider than that of the judge's and holds the rate", async () => {
  for (const { corrected, pass_rate } of await summaries()) {
    const [lower, upper] = [corrected?.lower ?? 1, corrected?.upper ?? 0];
    expect(lower).toBeLessThan(corrected?.rate ?? 0);
    expect(upper).toBeGreaterThan(corrected?.rate ?? 1);
    expect(upper - lower).toBeGreaterThan((pass_rate?.interval?.upper ?? 1) - (pass_rate?.interval?.lower ?? 0));
  }
});

test("gates and comparisons of experiments have both sides' corrected rates, and the same verdict", async () => {
  const experiments = await experimentsByName(client, 2);
  const [before, after] = [experiments.get("r1")?.id ?? "", experiments.get("r2")?.id ?? ""];
  await eventually(async () => {
    const { metrics } = await client.answer(getExperiment, { params: { experiment_id: after } });
    return metrics?.[0]?.judged_count === size || undefined;
  });
  const rules = [{ metric: metric_name, min_rate: 0.5 }, { max_cost_increase: 1 }];
  const gate = (body: object, corrected: string) =>
    client.answer(evaluateGate, { body: { rules, ...body }, query: { corrected } });
  const params = { experiment_id: after };

  expect(
    await client.answer(compareExperiments, { params, query: { baseline: before, corrected: "true" } }),
  ).toMatchObject({
    metrics: [{ metric_name, corrected: { baseline: correction("r1"), candidate: correction("r2") } }],
  });
  const { outcomes, ...decision } = await gate({ candidate: { release: "r2" }, baseline: before }, "true");
  const plain = await gate({ candidate: { release: "r2" }, baseline: before }, "false");
  expect(outcomes.map(({ corrected }) => corrected)).toEqual([
    { baseline: correction("r1"), candidate: correction("r2") },
    undefined,
  ]);
  expect({
    ...decision,
    outcomes: outcomes.map((outcome) => Object.assign(outcome, { corrected: undefined })),
  }).toEqual(plain);
  const alone = await client.answer(evaluateGate, {
    body: { candidate: before, rules: rules.slice(0, 1) },
    query: { corrected: "true" },
  });
  expect(alone.outcomes[0]?.corrected).toEqual({ baseline: null, candidate: correction("r1") });
});

test("labels of another judge, project or draw correct nothing, and the largest random set of labels counts", async () => {
  const { project, scores, id } = await judgedProject();
  const [set, other] = [await newSet(project), await newSet(project)];
  expect(await reasonsOf(project)).toEqual(["no_labels", "no_labels"]);

  await record(set, { judge: "openai/gpt-5.4-mini#0123456789ab" }, id);
  expect(await reasonsOf(project)).toEqual(["no_labels", "no_labels"]);

  await record(set, { isRandom: false }, id);
  expect(await reasonsOf(project)).toEqual(["labels_not_random", "labels_not_random"]);

  await record(set, { confusion: { tp: 50, fp: 50, fn: 50, tn: 50 } }, id);
  expect(await reasonsOf(project)).toEqual(["not_better_than_chance", "not_better_than_chance"]);

  await record(set, { confusion: { tp: 90, fp: 0, fn: 0, tn: 4 } }, id);
  expect(await reasonsOf(project)).toEqual(["too_few", "too_few"]);

  await record(set, {}, id);
  await record(other, { isRandom: false, confusion: { tp: 90, fp: 20, fn: 10, tn: 80 } }, id);
  await record(other, { confusion: { tp: 9, fp: 9, fn: 9, tn: 9 } }, id);
  expect(await summaries(project)).toMatchObject([{ corrected: correction("r1") }, { corrected: correction("r2") }]);

  // A person says the opposite of the judge about one trace, which is then none of the judge's verdicts.
  const passed = scores.find(({ value }) => Number(value) > 0.5);
  await project.answer(updateTraceScore, { params: { score_id: passed?.id ?? "" }, body: { value: "0" } });
  const rates = await eventually(async () => {
    const read = (await summaries(project)).map(({ corrected }) => corrected?.judge_rate);
    return read.includes(passes.r1 / size) && read.includes(passes.r2 / size) ? undefined : read;
  });
  expect([
    [19 / 29, 10 / 30],
    [20 / 30, 9 / 29],
  ]).toContainEqual(rates);
});

test("labels of a random set correct rates once the judge is compared with them", async () => {
  const { project, scores } = await judgedProject();
  const set = async (fields: object) => {
    const { id: set_id } = await project.answer(createLabelSet, {
      body: { name: "errors", metrics: [{ name: metric_name }], size: 60, ...fields },
    });
    return { set_id };
  };
  const [random, lowest] = [await set({}), await set({ name: "lowest", draw: "lowest" })];
  const listed = await set({ name: "listed", trace_ids: scores.map(({ trace_id }) => trace_id) });
  const selected = await set({ name: "selected", filters: { score: [`${metric_name}>=0`] } });
  // People contradict four of the passing verdicts and six of the failing ones.
  const labelled = [true, false].flatMap((isPassed) =>
    scores
      .filter(({ value }) => (value === "1.0") === isPassed)
      .map(({ trace_id }, at) => ({ trace_id, isPassing: at < (isPassed ? 4 : 6) !== isPassed })),
  );
  const body = labelled.map(({ trace_id, isPassing }) => ({
    trace_id,
    labeller: "Ada",
    labels: { [metric_name]: isPassing ? 1 : 0 },
  }));
  const trustOf = async (params: { set_id: string }) => {
    await project.answer(uploadLabels, { params, body: { items: body } });
    return project.answer(computeTrust, { params, body: { metric: metric_name } });
  };

  for (const params of [lowest, listed, selected]) {
    await trustOf(params);
    expect(await reasonsOf(project)).toEqual(["labels_not_random", "labels_not_random"]);
  }

  expect(await trustOf(random)).toMatchObject({ n: 60, confusion: { tp: 26, fp: 4, fn: 6, tn: 24 }, fit_for: "trend" });
  const [sensitivity, specificity] = [26 / 32, 24 / 28];
  const rateOf = (rate: number) => close((rate + specificity - 1) / (sensitivity + specificity - 1));
  expect(await summaries(project)).toMatchObject([
    { corrected: { rate: rateOf(20 / 30), n_labels: 60, label_set_id: random.set_id } },
    { corrected: { rate: rateOf(10 / 30), n_labels: 60 } },
  ]);

  for (const params of [random, lowest, listed, selected]) await project.answer(deleteLabelSet, { params });
  expect(await reasonsOf(project)).toEqual(["no_labels", "no_labels"]);
});
