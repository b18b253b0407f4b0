import * as v from "valibot";
import { listOf, page, uuid } from "../schema/fields.ts";
import { route } from "../route.ts";
import { maxCostUsd, judgeModel, runName, samplingRate, traceMetricList, serviceTier } from "./fields.ts";
import { runCreation, runDeletion, runDetail, runList, runRetry, runScoreList, runTargetList } from "./run-routes.ts";
import { traceFilters } from "../traces/filters.ts";
import { traceScore } from "../scores/trace-scores.ts";

const filteredRun = v.pipe(
  v.object({
    name: runName,
    metrics: traceMetricList,
    filters: v.optional(traceFilters, {}),
    sampling_rate: samplingRate,
    model: judgeModel,
    max_cost_usd: maxCostUsd,
    tier: serviceTier,
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
        "Ids of the traces to evaluate, with duplicates removed; at most 10,000 different ids unless the operator has set another limit.",
      ),
    ),
    metrics: traceMetricList,
    name: runName,
    model: judgeModel,
    max_cost_usd: maxCostUsd,
    tier: serviceTier,
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
  summary: "Evaluate traces by filters",
  description:
    "Selects the targets now and evaluates them in the background. The reply always has the status PENDING, and its `total_traces` is " +
    "final. Filters without matches create a run without targets, which completes at once.",
  body: filteredRun,
});

export const createTraceBatchRun = route({
  ...runCreation,
  id: "createTraceBatchRun",
  path: "/evaluations/trace-runs/batch",
  handler: "api/runs/create-trace-batch-run",
  summary: "Evaluate traces by id",
  description:
    "Evaluates exactly these traces with all metrics, one judgement after the other. Unknown ids are accepted; their pairs of target " +
    "and metric count as failed. `filters` of the run is empty; use `/targets` to list its targets.",
  body: batchRun,
});

export const listTraceRuns = route({
  ...runList,
  id: "listTraceRuns",
  path: "/evaluations/trace-runs",
  handler: "api/runs/list-trace-runs",
  summary: "List trace runs",
});

export const getTraceRun = route({
  ...runDetail,
  id: "getTraceRun",
  path: "/evaluations/trace-runs/{run_id}",
  handler: "api/runs/get-trace-run",
  summary: "Get a trace run",
});

export const deleteTraceRun = route({
  ...runDeletion,
  id: "deleteTraceRun",
  path: "/evaluations/trace-runs/{run_id}",
  handler: "api/runs/delete-trace-run",
  summary: "Delete a trace run",
});

export const retryTraceRun = route({
  ...runRetry,
  id: "retryTraceRun",
  path: "/evaluations/trace-runs/{run_id}/retry",
  handler: "api/runs/retry-trace-run",
  summary: "Retry a trace run",
});

export const listTraceRunTargets = route({
  ...runTargetList,
  id: "listTraceRunTargets",
  path: "/evaluations/trace-runs/{run_id}/targets",
  handler: "api/runs/list-trace-run-targets",
  summary: "List targets of a trace run",
});

export const listTraceRunScores = route({
  ...runScoreList,
  id: "listTraceRunScores",
  path: "/evaluations/trace-runs/{run_id}/scores",
  handler: "api/runs/list-trace-run-scores",
  summary: "List scores of a trace run",
  description:
    "Returns all scores of the run, newest first, as a plain array, or as a page with `limit`, `offset` or `cursor`.",
  /** A plain array, or a page if a paging parameter is present. */
  reply: v.union([v.array(traceScore), page(traceScore)]),
});
