import { expect, inject, test } from "vitest";
import { approveExperiment } from "../../../../lib/contract/experiments/approval.ts";
import { createExperimentRun } from "../../../../lib/contract/experiments/experiment-runs.ts";
import { evaluateGate } from "../../../../lib/contract/experiments/gates.ts";
import { createApiKey } from "../../../../lib/contract/access/api-keys.ts";
import { createCliCode } from "../../../../lib/contract/access/cli.ts";
import { previewMasking } from "../../../../lib/contract/access/masking.ts";
import { createDataset, updateDataset } from "../../../../lib/contract/datasets/datasets.ts";
import { createDatasetItems, updateDatasetItem } from "../../../../lib/contract/datasets/items.ts";
import { putLabels, takeNextLabelItem, uploadLabels } from "../../../../lib/contract/labels/label-items.ts";
import { closeLabelSet, createLabelSet } from "../../../../lib/contract/labels/label-sets.ts";
import { computeTrust } from "../../../../lib/contract/labels/trust.ts";
import {
  createCustomMetric,
  listCustomMetrics,
  updateCustomMetric,
} from "../../../../lib/contract/metrics/custom-metrics.ts";
import { copyGalleryMetric, importCustomMetric } from "../../../../lib/contract/metrics/metric-sources.ts";
import { previewCustomMetric } from "../../../../lib/contract/metrics/preview.ts";
import { previewAlert } from "../../../../lib/contract/monitors/alert-preview.ts";
import { createAlert, testAlert, updateAlert } from "../../../../lib/contract/monitors/alerts.ts";
import {
  createMonitor,
  listMonitors,
  triggerMonitor,
  updateMonitor,
} from "../../../../lib/contract/monitors/monitors.ts";
import type { Route } from "../../../../lib/contract/route.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import {
  createSessionBatchRun,
  createSessionRun,
  retrySessionRun,
} from "../../../../lib/contract/runs/session-runs.ts";
import {
  createTraceBatchRun,
  createTraceRun,
  listTraceRuns,
  retryTraceRun,
} from "../../../../lib/contract/runs/trace-runs.ts";
import { isClosed } from "../../../../lib/contract/schema/closed-object.ts";
import { createTraceScore } from "../../../../lib/contract/scores/trace-scores.ts";
import { createTrace } from "../../../../lib/contract/traces/traces.ts";
import { someMetric } from "../../../support/custom-metric.ts";
import { expectStatus, problems } from "../../../support/reply-shape.ts";
import { newProject } from "../../../support/service/client.ts";

const service = inject("service");
const id = "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01";
const run = { metrics: ["task_completion"] };
const sessionRun = { metrics: ["agent_reliability"] };
const monitor = { ...run, name: "nightly", target_type: "TRACE", cadence: "daily" };
const alert = { name: "busy", signal: "volume", window: "1h", threshold: 1 };
const metric = someMetric("declines");
const preview = { metric, trace: { name: "agent", started_at: "2026-11-21T09:00:00Z" } };

/** A body with one field that its route does not know, the path of the field, and the name that the reply advises. */
const misspelt: readonly (readonly [Route, Readonly<Record<string, unknown>>, string, string | null])[] = [
  [createTraceRun, { ...run, max_cost: 1 }, "max_cost", "max_cost_usd"],
  [createTraceRun, { ...run, maxCostUsd: 1 }, "maxCostUsd", "max_cost_usd"],
  [createTraceRun, { ...run, budget_usd: 1 }, "budget_usd", null],
  [createTraceRun, { ...run, sample_rate: 0.1 }, "sample_rate", "sampling_rate"],
  [createTraceRun, { ...run, filter: {} }, "filter", "filters"],
  [createTraceRun, { ...run, trace_ids: [id] }, "trace_ids", null],
  [createTraceRun, { ...run, service_tier: "flex" }, "service_tier", null],
  [createTraceRun, { ...run, models: "openai/gpt-5.4-mini" }, "models", "model"],
  [createTraceRun, { ...run, filters: { statuss: "ERROR" } }, "filters.statuss", "status"],
  [createTraceRun, { ...run, filters: { tag: ["checkout"] } }, "filters.tag", "tags"],
  [createTraceBatchRun, { ...run, trace_ids: [id], sampling_rate: 0.1 }, "sampling_rate", null],
  [createTraceBatchRun, { ...run, trace_ids: [id], max_cost: 1 }, "max_cost", "max_cost_usd"],
  [createExperimentRun, { metrics: ["task_completion"], max_costs_usd: 1 }, "max_costs_usd", "max_cost_usd"],
  [evaluateGate, { candidate: "x", rules: [{ max_cost_increase: 0, wach: true }] }, "rules.0.wach", "watch"],
  [evaluateGate, { candidate: { relase: "2" }, rules: [{ max_cost_increase: 0 }] }, "candidate.relase", "release"],
  [approveExperiment, { experiment_id: "x", forced: true }, "forced", "force"],
  [createSessionRun, { ...sessionRun, max_costs_usd: 1 }, "max_costs_usd", "max_cost_usd"],
  [createSessionRun, { ...sessionRun, weights: {} }, "weights", null],
  [createSessionRun, { ...sessionRun, signal_weights: { confidense: 1 } }, "signal_weights.confidense", "confidence"],
  [createSessionBatchRun, { ...sessionRun, session_ids: ["s"], limit: 1 }, "limit", null],
  [retryTraceRun, { max_cost_usd: 1 }, "max_cost_usd", null],
  [retrySessionRun, { metrics: [] }, "metrics", null],
  [createMonitor, { ...monitor, max_cost: 1 }, "max_cost", "max_cost_usd"],
  [createMonitor, { ...monitor, dry_run: true }, "dry_run", null],
  [createMonitor, { ...monitor, cadance: "daily" }, "cadance", "cadence"],
  [createMonitor, { ...monitor, only_changed: true }, "only_changed", "only_if_changed"],
  [updateMonitor, { samplingrate: 0.1 }, "samplingrate", "sampling_rate"],
  [updateMonitor, { target_type: "TRACE" }, "target_type", null],
  [triggerMonitor, { max_cost_usd: 1 }, "max_cost_usd", null],
  [createDataset, { name: "refunds", metdata: {} }, "metdata", "metadata"],
  [updateDataset, { names: "refunds" }, "names", "name"],
  [createDatasetItems, { items: [{ input: 1, expected_outputs: 2 }] }, "items.0.expected_outputs", "expected_output"],
  [updateDatasetItem, { inputs: 1 }, "inputs", "input"],
  [createLabelSet, { name: "set", metrics: [{ name: "task_completion" }], sizes: 20 }, "sizes", "size"],
  [putLabels, { labels: { helpful: true }, notes: "" }, "notes", "note"],
  [uploadLabels, { items: [{ trace_id: id, labeller: "Ada", labels: { a: 1 }, notes: "" }] }, "items.0.notes", "note"],
  [computeTrust, { metric: "task_completion", judges: "x" }, "judges", "judge"],
  [closeLabelSet, { force: true }, "force", null],
  [takeNextLabelItem, { lease: 1 }, "lease", null],
  [createAlert, { ...alert, treshhold: 2 }, "treshhold", "threshold"],
  [updateAlert, { paused: true }, "paused", null],
  [testAlert, { threshold: 1 }, "threshold", null],
  [previewAlert, { ...alert, started_after: "2026-11-21" }, "started_after", null],
  [createCustomMetric, { ...metric, treshold: 0.9 }, "treshold", "threshold"],
  [
    createCustomMetric,
    { ...metric, statements: [{ text: "Was it?", expect: "no" }] },
    "statements.0.expect",
    "expected",
  ],
  [updateCustomMetric, { tresholds: 0.9 }, "tresholds", "threshold"],
  [copyGalleryMetric, { metric: "tone", title: "my_tone" }, "title", null],
  [importCustomMetric, { metric: { name: "A", prompt: "Is it?" }, target: "TRACE" }, "target", null],
  [previewCustomMetric, { ...preview, max_cost: 1 }, "max_cost", "max_cost_usd"],
  [previewCustomMetric, { ...preview, metric: { ...metric, rules: [] } }, "metric.rules", "rule"],
  [previewMasking, { trace: preview.trace, masking: { keyss: [] } }, "masking.keyss", "keys"],
];

const client = newProject(service);
const ids = Object.fromEntries(
  [
    "run_id",
    "monitor_id",
    "alert_id",
    "metric_name",
    "trace_id",
    "dataset_id",
    "item_id",
    "experiment_id",
    "set_id",
    "project_id",
  ].map((name) => [name, id]),
);

test.each(misspelt)("the field of case %# is refused with its path and the nearest name", async (...row) => {
  const [route, body, path, near] = row;

  const reply = await client.call(route, { params: ids, body });

  expectStatus(reply, 422);
  expect(problems(reply)).toEqual([`body.${path}`]);
  expect(reply.text).toContain('"type":"extra_forbidden"');
  expect(/did you mean (?<name>[a-z_]+)[?]/u.exec(reply.text)?.groups?.["name"] ?? null).toBe(near);
});

test("every route whose body spends money, defines what is spent or grants access refuses unknown fields, and no other one", () => {
  const strict = routes.filter(({ body, refusesBody }) => (body === undefined ? refusesBody : isClosed(body)));

  expect(new Set(strict.map(({ id: route }) => route))).toEqual(
    new Set([...misspelt.map(([route]) => route), createApiKey, createCliCode].map(({ id: route }) => route)),
  );
});

test("a refused field creates no run, no monitor and no metric", async () => {
  const empty = newProject(service);
  for (const [route, body] of misspelt) await empty.call(route, { params: ids, body });

  for (const list of [listTraceRuns, listMonitors, listCustomMetrics])
    expect((await empty.page(list)).items).toEqual([]);
});

test.each([[{}], [{ dry_run: false }], [{ dry_run: null }]])("a run is created with %j in its body", async (fields) => {
  const { name } = await client.answer(createTraceRun, { body: { ...run, name: "real", ...fields } });

  expect(name).toBe("real");
});

test.each([
  ["in the body", {}, { dry_run: true }],
  ["in the query", { dry_run: "true" }, {}],
  ["in the query although the body says false", { dry_run: "true" }, { dry_run: false }],
  ["in the body although the query says false", { dry_run: "false" }, { dry_run: true }],
])("a dry run asked for %s stores nothing", async (_place, query, fields) => {
  const empty = newProject(service);
  const estimate = await empty.call(createTraceRun, { query, body: { ...run, ...fields } });
  const definition = await empty.call(createCustomMetric, { query, body: { ...metric, ...fields } });

  expect([estimate.status, definition.status]).toEqual([200, 200]);
  expect(estimate.body).toHaveProperty("judge_calls");
  expect(definition.text).not.toContain("dry_run");
  expect((await empty.page(listTraceRuns)).items).toEqual([]);
  expect((await empty.page(listCustomMetrics)).items).toEqual([]);
});

test("a dry_run that is no boolean is refused", async () => {
  const reply = await client.call(createTraceRun, { body: { ...run, dry_run: "yes" } });

  expect(problems(reply)).toEqual(["body.dry_run"]);
});

test("the trace of a preview is taken as ingestion takes it, with the fields of a reply", async () => {
  const trace = { ...preview.trace, project_id: id, total_cost: 1 };
  const reply = await client.call(previewCustomMetric, { query: { dry_run: "true" }, body: { ...preview, trace } });

  expect(reply.status).toBe(200);
});

test("a reply names the fields of the body that were ignored, at most twenty", async () => {
  const score = { trace_id: id, name: "helpful", value: "1", data_type: "NUMERIC" };
  const fields = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`extra${at}`, at]));
  const few = await client.call(createTraceScore, { body: { ...score, scorer: "x", "n\u00e4me, \r\n": 1 } });
  const many = await client.call(createTraceScore, { body: { ...score, ...fields } });
  const none = await client.call(createTraceScore, { body: score });

  expect(few.headers["x-ignored-fields"]).toBe("scorer, n%C3%A4me%2C%20%0D%0A");
  expect(String(many.headers["x-ignored-fields"]).split(", ")).toHaveLength(20);
  expect(none.headers["x-ignored-fields"]).toBeUndefined();
});

test("the reply to an ingested trace names none", async () => {
  const reply = await client.call(createTrace, { body: { ...preview.trace, total_cost: 1 } });

  expect(reply.status).toBe(202);
  expect(reply.headers["x-ignored-fields"]).toBeUndefined();
});
