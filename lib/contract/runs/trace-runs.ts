import * as v from "valibot";
import { dryRunField } from "../list-query.ts";
import { closedObject } from "../schema/closed-object.ts";
import { listOf, uuid } from "../schema/fields.ts";
import { runName, traceMetricList } from "./fields.ts";
import { requestExamples } from "../schema/resource.ts";
import { runRoutes } from "./run-routes.ts";
import { runSettings } from "./settings.ts";
import { traceFilters } from "../traces/filters.ts";
import { traceScore } from "../scores/trace-scores.ts";

const { sampling_rate, model, judge, max_cost_usd, tier } = runSettings.input;

const filteredRun = v.pipe(
  closedObject({
    name: runName,
    metrics: traceMetricList,
    filters: v.optional(traceFilters, {}),
    sampling_rate,
    model,
    judge,
    max_cost_usd,
    tier,
    ...dryRunField,
  }),
  v.title("EvalRunInput"),
  requestExamples([
    {
      name: "nightly",
      metrics: ["task_completion", "tool_correctness"],
      filters: { status: "COMPLETED", tags: ["checkout"], date_from: "2026-11-01" },
      sampling_rate: 0.1,
      model: null,
    },
  ]),
);

/** Fields of a run of traces that its route or a list selects. */
export const selectedRunFields = {
  metrics: traceMetricList,
  name: runName,
  model,
  judge,
  max_cost_usd,
  tier,
  ...dryRunField,
};

const batchRun = v.pipe(
  closedObject({
    trace_ids: v.pipe(
      listOf(uuid, 100_000, 1),
      v.transform((ids) => [...new Set(ids)]),
      v.description(
        "Ids of the traces to evaluate, with duplicates removed; at most 10,000 different ids unless the operator has set another limit.",
      ),
    ),
    ...selectedRunFields,
  }),
  v.title("BatchEvalRunInput"),
  requestExamples([
    { trace_ids: ["0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01"], metrics: ["task_completion", "tool_correctness"] },
  ]),
);

export const {
  createRun: createTraceRun,
  createBatchRun: createTraceBatchRun,
  listRuns: listTraceRuns,
  getRun: getTraceRun,
  deleteRun: deleteTraceRun,
  retryRun: retryTraceRun,
  listTargets: listTraceRunTargets,
  listScores: listTraceRunScores,
} = runRoutes("trace", {
  filteredRun,
  batchRun,
  batchDescription:
    "Evaluates exactly these traces with all metrics, one judgement after the other. Unknown ids are accepted; their pairs of target " +
    "and metric count as failed. `filters` of the run is empty; use `/targets` to list its targets.",
  score: traceScore,
  scoresDescription:
    "Returns all scores of the run, newest first, as a plain array, or as a page with `limit`, `offset` or `cursor`.",
});
