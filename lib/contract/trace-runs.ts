import * as v from "valibot";
import { evalRun } from "./eval-run.ts";
import { listOf, page, uuid } from "./fields.ts";
import { route } from "./route.ts";
import { maxCostUsd, model, runName, samplingRate, traceMetricList } from "./run-fields.ts";
import { creationQuery, runEstimate } from "./run-estimate.ts";
import {
  creationGrants,
  deletionDescription,
  deletionGrants,
  deletionQuery,
  retryDescription,
  retryGrants,
  runParams,
  runsPage,
  runsQuery,
  scoresQuery,
  stillRunning,
  targetsGrants,
  targetsPage,
  targetsQuery,
} from "./run-routes.ts";
import { traceFilters } from "./trace-filters.ts";
import { traceScore } from "./trace-scores.ts";

const filteredRun = v.pipe(
  v.object({
    name: runName,
    metrics: traceMetricList,
    filters: v.optional(traceFilters, {}),
    sampling_rate: samplingRate,
    model,
    max_cost_usd: maxCostUsd,
  }),
  v.title("EvalRunInput"),
  v.examples([
    {
      name: "nightly",
      metrics: ["task_completion", "tool_correctness"],
      filters: { status: "COMPLETED", tags: ["checkout"], date_from: "2026-11-01" },
      sampling_rate: 0.1,
      model: null,
    },
  ]),
);

const batchRun = v.pipe(
  v.object({
    trace_ids: v.pipe(
      listOf(uuid, 100_000, 1),
      v.transform((ids) => [...new Set(ids)]),
      v.description(
        "Each is evaluated once; at most 10,000 different ones, unless the operator has set another number.",
      ),
    ),
    metrics: traceMetricList,
    name: runName,
    model,
    max_cost_usd: maxCostUsd,
  }),
  v.title("BatchEvalRunInput"),
  v.examples([
    { trace_ids: ["0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01"], metrics: ["task_completion", "tool_correctness"] },
  ]),
);

export const createTraceRun = route({
  id: "createTraceRun",
  method: "POST",
  path: "/evaluations/trace-runs",
  handler: "api/evaluations/create-trace-run",
  summary: "Evaluate the traces that match filters",
  description:
    "The targets are chosen and frozen now; the evaluation goes on in the background. The reply is always PENDING, " +
    "`total_traces` in it is final. Filters that match nothing make a run of zero targets that completes at once.",
  access: "project",
  query: creationQuery,
  body: filteredRun,
  success: 202,
  reply: evalRun,
  dryRun: runEstimate,
  limitPerMinute: 50,
  grants: creationGrants,
  memory: 1024,
});

export const createTraceBatchRun = route({
  id: "createTraceBatchRun",
  method: "POST",
  path: "/evaluations/trace-runs/batch",
  handler: "api/evaluations/create-trace-batch-run",
  summary: "Evaluate listed traces",
  description:
    "Exactly these, with every metric, strictly one judgement after the other. Ids that do not exist are accepted: their " +
    "pairs count as failed. `filters` of the run is empty; its targets are read at `/targets`.",
  access: "project",
  query: creationQuery,
  body: batchRun,
  success: 202,
  reply: evalRun,
  dryRun: runEstimate,
  limitPerMinute: 50,
  grants: creationGrants,
  memory: 1024,
});

export const listTraceRuns = route({
  id: "listTraceRuns",
  method: "GET",
  path: "/evaluations/trace-runs",
  handler: "api/evaluations/list-trace-runs",
  summary: "List eval runs of traces, newest first",
  access: "project",
  query: runsQuery,
  success: 200,
  reply: runsPage,
  grants: { runs: ["Query"] },
});

export const getTraceRun = route({
  id: "getTraceRun",
  method: "GET",
  path: "/evaluations/trace-runs/{run_id}",
  handler: "api/evaluations/get-trace-run",
  summary: "Read an eval run with its live counters",
  access: "project",
  params: runParams,
  success: 200,
  reply: evalRun,
  grants: { runs: ["GetItem", "Query"] },
});

export const deleteTraceRun = route({
  id: "deleteTraceRun",
  method: "DELETE",
  path: "/evaluations/trace-runs/{run_id}",
  handler: "api/evaluations/delete-trace-run",
  summary: "Delete an eval run",
  description: deletionDescription,
  access: "project",
  params: runParams,
  query: deletionQuery,
  success: 204,
  reply: v.void(),
  grants: deletionGrants,
});

export const retryTraceRun = route({
  id: "retryTraceRun",
  method: "POST",
  path: "/evaluations/trace-runs/{run_id}/retry",
  handler: "api/evaluations/retry-trace-run",
  summary: "Evaluate again what failed in an eval run",
  description: retryDescription,
  access: "project",
  params: runParams,
  success: 202,
  reply: evalRun,
  conflict: stillRunning,
  limitPerMinute: 50,
  grants: retryGrants,
  memory: 1024,
});

export const listTraceRunTargets = route({
  id: "listTraceRunTargets",
  method: "GET",
  path: "/evaluations/trace-runs/{run_id}/targets",
  handler: "api/evaluations/list-trace-run-targets",
  summary: "List the traces of an eval run and how far each is, in the order in which they were frozen",
  access: "project",
  params: runParams,
  query: targetsQuery,
  success: 200,
  reply: targetsPage,
  grants: targetsGrants,
});

export const listTraceRunScores = route({
  id: "listTraceRunScores",
  method: "GET",
  path: "/evaluations/trace-runs/{run_id}/scores",
  handler: "api/evaluations/list-trace-run-scores",
  summary: "List the scores of an eval run, newest first",
  description: "All of them as a bare array; a page when `limit` or `offset` is given.",
  access: "project",
  params: runParams,
  query: scoresQuery,
  success: 200,
  /** A bare array; a page when `limit` or `offset` is given. */
  reply: v.union([v.array(traceScore), page(traceScore)]),
  grants: { runs: ["GetItem", "Query"], scores: ["Query", "BatchGetItem"] },
  streams: true,
  memory: 1024,
});
