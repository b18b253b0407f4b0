import * as v from "valibot";
import { listOf, page, text } from "../fields.ts";
import { route } from "../route.ts";
import { maxCostUsd, model, runName, samplingRate, sessionMetricList, signalWeights, tier } from "./fields.ts";
import { runCreation, runDeletion, runDetail, runList, runRetry, runScoreList, runTargetList } from "./run-routes.ts";
import { sessionFilters } from "../sessions/filters.ts";
import { sessionScore } from "../scores/session-scores.ts";

const filteredRun = v.pipe(
  v.object({
    name: runName,
    metrics: sessionMetricList,
    filters: v.optional(sessionFilters, {}),
    sampling_rate: samplingRate,
    model,
    signal_weights: signalWeights,
    max_cost_usd: maxCostUsd,
    tier,
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
        "Each is evaluated once; at most 10,000 different ones, unless the operator has set another number.",
      ),
    ),
    metrics: sessionMetricList,
    name: runName,
    model,
    signal_weights: signalWeights,
    max_cost_usd: maxCostUsd,
    tier,
  }),
  v.title("SessionBatchEvalRunInput"),
  v.examples([{ session_ids: ["chat-7"], metrics: ["agent_reliability", "agent_consistency"] }]),
);

export const createSessionRun = route({
  ...runCreation,
  id: "createSessionRun",
  path: "/evaluations/session-runs",
  handler: "api/runs/create-session-run",
  summary: "Evaluate the sessions that match filters",
  description:
    "The targets are chosen and frozen now; the evaluation goes on in the background. The reply is always PENDING, " +
    "`total_traces` in it is final. Filters that match nothing make a run of zero targets that completes at once.",
  body: filteredRun,
});

export const createSessionBatchRun = route({
  ...runCreation,
  id: "createSessionBatchRun",
  path: "/evaluations/session-runs/batch",
  handler: "api/runs/create-session-batch-run",
  summary: "Evaluate listed sessions",
  description:
    "Exactly these, with every metric. Sessions without traces are accepted: their pairs count as failed. `filters` of " +
    "the run is empty; its targets are read at `/targets`.",
  body: batchRun,
});

export const listSessionRuns = route({
  ...runList,
  id: "listSessionRuns",
  path: "/evaluations/session-runs",
  handler: "api/runs/list-session-runs",
  summary: "List eval runs of sessions, newest first",
});

export const getSessionRun = route({
  ...runDetail,
  id: "getSessionRun",
  path: "/evaluations/session-runs/{run_id}",
  handler: "api/runs/get-session-run",
  summary: "Read an eval run of sessions with its live counters",
});

export const deleteSessionRun = route({
  ...runDeletion,
  id: "deleteSessionRun",
  path: "/evaluations/session-runs/{run_id}",
  handler: "api/runs/delete-session-run",
  summary: "Delete an eval run of sessions",
});

export const retrySessionRun = route({
  ...runRetry,
  id: "retrySessionRun",
  path: "/evaluations/session-runs/{run_id}/retry",
  handler: "api/runs/retry-session-run",
  summary: "Evaluate again what failed in an eval run of sessions",
});

export const listSessionRunTargets = route({
  ...runTargetList,
  id: "listSessionRunTargets",
  path: "/evaluations/session-runs/{run_id}/targets",
  handler: "api/runs/list-session-run-targets",
  summary: "List the sessions of an eval run and how far each is, in the order in which they were frozen",
});

export const listSessionRunScores = route({
  ...runScoreList,
  id: "listSessionRunScores",
  path: "/evaluations/session-runs/{run_id}/scores",
  handler: "api/runs/list-session-run-scores",
  summary: "List the scores of an eval run of sessions, newest first",
  description:
    "The scores of the sessions, all of them as a bare array; a page when `limit` or `offset` is given. The scores of " +
    "their traces that the run made are among those of traces, by `eval_run_id`.",
  /** A bare array; a page when `limit` or `offset` is given. */
  reply: v.union([v.array(sessionScore), page(sessionScore)]),
});
