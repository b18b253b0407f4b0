import * as v from "valibot";
import { listOf, page, uuid } from "../fields.ts";
import { route } from "../route.ts";
import { maxCostUsd, model, runName, samplingRate, traceMetricList, tier } from "./fields.ts";
import { runCreation, runDeletion, runDetail, runList, runRetry, runScoreList, runTargetList } from "./run-routes.ts";
import { traceFilters } from "../traces/filters.ts";
import { traceScore } from "../scores/trace-scores.ts";

const filteredRun = v.pipe(
  v.object({
    name: runName,
    metrics: traceMetricList,
    filters: v.optional(traceFilters, {}),
    sampling_rate: samplingRate,
    model,
    max_cost_usd: maxCostUsd,
    tier,
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
    tier,
  }),
  v.title("BatchEvalRunInput"),
  v.examples([
    { trace_ids: ["0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01"], metrics: ["task_completion", "tool_correctness"] },
  ]),
);

export const createTraceRun = route({
  ...runCreation,
  id: "createTraceRun",
  path: "/evaluations/trace-runs",
  handler: "api/runs/create-trace-run",
  summary: "Evaluate the traces that match filters",
  description:
    "The targets are chosen and frozen now; the evaluation goes on in the background. The reply is always PENDING, " +
    "`total_traces` in it is final. Filters that match nothing make a run of zero targets that completes at once.",
  body: filteredRun,
});

export const createTraceBatchRun = route({
  ...runCreation,
  id: "createTraceBatchRun",
  path: "/evaluations/trace-runs/batch",
  handler: "api/runs/create-trace-batch-run",
  summary: "Evaluate listed traces",
  description:
    "Exactly these, with every metric, strictly one judgement after the other. Ids that do not exist are accepted: their " +
    "pairs count as failed. `filters` of the run is empty; its targets are read at `/targets`.",
  body: batchRun,
});

export const listTraceRuns = route({
  ...runList,
  id: "listTraceRuns",
  path: "/evaluations/trace-runs",
  handler: "api/runs/list-trace-runs",
  summary: "List eval runs of traces, newest first",
});

export const getTraceRun = route({
  ...runDetail,
  id: "getTraceRun",
  path: "/evaluations/trace-runs/{run_id}",
  handler: "api/runs/get-trace-run",
  summary: "Read an eval run with its live counters",
});

export const deleteTraceRun = route({
  ...runDeletion,
  id: "deleteTraceRun",
  path: "/evaluations/trace-runs/{run_id}",
  handler: "api/runs/delete-trace-run",
  summary: "Delete an eval run",
});

export const retryTraceRun = route({
  ...runRetry,
  id: "retryTraceRun",
  path: "/evaluations/trace-runs/{run_id}/retry",
  handler: "api/runs/retry-trace-run",
  summary: "Evaluate again what failed in an eval run",
});

export const listTraceRunTargets = route({
  ...runTargetList,
  id: "listTraceRunTargets",
  path: "/evaluations/trace-runs/{run_id}/targets",
  handler: "api/runs/list-trace-run-targets",
  summary: "List the traces of an eval run and how far each is, in the order in which they were frozen",
});

export const listTraceRunScores = route({
  ...runScoreList,
  id: "listTraceRunScores",
  path: "/evaluations/trace-runs/{run_id}/scores",
  handler: "api/runs/list-trace-run-scores",
  summary: "List the scores of an eval run, newest first",
  description: "All of them as a bare array; a page when `limit` or `offset` is given.",
  /** A bare array; a page when `limit` or `offset` is given. */
  reply: v.union([v.array(traceScore), page(traceScore)]),
});
