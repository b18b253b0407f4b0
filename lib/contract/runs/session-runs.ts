import * as v from "valibot";
import { listOf, page, text } from "../schema/fields.ts";
import { route } from "../route.ts";
import {
  maxCostUsd,
  judgeModel,
  runName,
  samplingRate,
  sessionMetricList,
  signalWeights,
  serviceTier,
} from "./fields.ts";
import { runCreation, runDeletion, runDetail, runList, runRetry, runScoreList, runTargetList } from "./run-routes.ts";
import { sessionFilters } from "../sessions/filters.ts";
import { sessionScore } from "../scores/session-scores.ts";

const filteredRun = v.pipe(
  v.object({
    name: runName,
    metrics: sessionMetricList,
    filters: v.optional(sessionFilters, {}),
    sampling_rate: samplingRate,
    model: judgeModel,
    signal_weights: signalWeights,
    max_cost_usd: maxCostUsd,
    tier: serviceTier,
  }),
  v.title("SessionEvalRunInput"),
  v.examples([
    {
      name: "nightly",
      metrics: ["agent_reliability", "agent_consistency"],
      filters: { has_error: true, min_trace_count: 2, date_from: "2026-11-01" },
      sampling_rate: 0.1,
      model: null,
    },
  ]),
);

const batchRun = v.pipe(
  v.object({
    session_ids: v.pipe(
      listOf(text(255), 100_000, 1),
      v.transform((ids) => [...new Set(ids)]),
      v.description(
        "Ids of the sessions to evaluate, with duplicates removed; at most 10,000 different ids unless the operator has set another limit.",
      ),
    ),
    metrics: sessionMetricList,
    name: runName,
    model: judgeModel,
    signal_weights: signalWeights,
    max_cost_usd: maxCostUsd,
    tier: serviceTier,
  }),
  v.title("SessionBatchEvalRunInput"),
  v.examples([{ session_ids: ["chat-7"], metrics: ["agent_reliability", "agent_consistency"] }]),
);

export const createSessionRun = route({
  ...runCreation,
  id: "createSessionRun",
  path: "/evaluations/session-runs",
  handler: "api/runs/create-session-run",
  summary: "Evaluate sessions by filters",
  description:
    "Selects the targets now and evaluates them in the background. The reply always has the status PENDING, and its `total_traces` is " +
    "final. Filters without matches create a run without targets, which completes at once.",
  body: filteredRun,
});

export const createSessionBatchRun = route({
  ...runCreation,
  id: "createSessionBatchRun",
  path: "/evaluations/session-runs/batch",
  handler: "api/runs/create-session-batch-run",
  summary: "Evaluate sessions by id",
  description:
    "Evaluates exactly these sessions with all metrics. Sessions without traces are accepted; their pairs of target and metric count " +
    "as failed. `filters` of the run is empty; use `/targets` to list its targets.",
  body: batchRun,
});

export const listSessionRuns = route({
  ...runList,
  id: "listSessionRuns",
  path: "/evaluations/session-runs",
  handler: "api/runs/list-session-runs",
  summary: "List session runs",
});

export const getSessionRun = route({
  ...runDetail,
  id: "getSessionRun",
  path: "/evaluations/session-runs/{run_id}",
  handler: "api/runs/get-session-run",
  summary: "Get a session run",
});

export const deleteSessionRun = route({
  ...runDeletion,
  id: "deleteSessionRun",
  path: "/evaluations/session-runs/{run_id}",
  handler: "api/runs/delete-session-run",
  summary: "Delete a session run",
});

export const retrySessionRun = route({
  ...runRetry,
  id: "retrySessionRun",
  path: "/evaluations/session-runs/{run_id}/retry",
  handler: "api/runs/retry-session-run",
  summary: "Retry a session run",
});

export const listSessionRunTargets = route({
  ...runTargetList,
  id: "listSessionRunTargets",
  path: "/evaluations/session-runs/{run_id}/targets",
  handler: "api/runs/list-session-run-targets",
  summary: "List targets of a session run",
});

export const listSessionRunScores = route({
  ...runScoreList,
  id: "listSessionRunScores",
  path: "/evaluations/session-runs/{run_id}/scores",
  handler: "api/runs/list-session-run-scores",
  summary: "List scores of a session run",
  description:
    "Returns all session scores of the run, newest first, as a plain array, or as a page with `limit`, `offset` or `cursor`. Trace " +
    "scores that the run created are in the list of trace scores, by `eval_run_id`.",
  /** A plain array, or a page if a paging parameter is present. */
  reply: v.union([v.array(sessionScore), page(sessionScore)]),
});
