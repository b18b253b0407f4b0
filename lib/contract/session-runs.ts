import * as v from "valibot";
import { evalRun } from "./eval-run.ts";
import { listOf, page, text } from "./fields.ts";
import { route } from "./route.ts";
import { maxCostUsd, model, runName, samplingRate, sessionMetricList, signalWeights } from "./run-fields.ts";
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
import { sessionFilters } from "./session-filters.ts";
import { sessionScore } from "./session-scores.ts";

const filteredRun = v.pipe(
  v.object({
    name: runName,
    metrics: sessionMetricList,
    filters: v.optional(sessionFilters, {}),
    sampling_rate: samplingRate,
    model,
    signal_weights: signalWeights,
    max_cost_usd: maxCostUsd,
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
  }),
  v.title("SessionBatchEvalRunInput"),
  v.examples([{ session_ids: ["chat-7"], metrics: ["agent_reliability", "agent_consistency"] }]),
);

export const createSessionRun = route({
  id: "createSessionRun",
  method: "POST",
  path: "/evaluations/session-runs",
  handler: "api/evaluations/create-session-run",
  summary: "Evaluate the sessions that match filters",
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

export const createSessionBatchRun = route({
  id: "createSessionBatchRun",
  method: "POST",
  path: "/evaluations/session-runs/batch",
  handler: "api/evaluations/create-session-batch-run",
  summary: "Evaluate listed sessions",
  description:
    "Exactly these, with every metric. Sessions without traces are accepted: their pairs count as failed. `filters` of " +
    "the run is empty; its targets are read at `/targets`.",
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

export const listSessionRuns = route({
  id: "listSessionRuns",
  method: "GET",
  path: "/evaluations/session-runs",
  handler: "api/evaluations/list-session-runs",
  summary: "List eval runs of sessions, newest first",
  access: "project",
  query: runsQuery,
  success: 200,
  reply: runsPage,
  grants: { runs: ["Query"] },
});

export const getSessionRun = route({
  id: "getSessionRun",
  method: "GET",
  path: "/evaluations/session-runs/{run_id}",
  handler: "api/evaluations/get-session-run",
  summary: "Read an eval run of sessions with its live counters",
  access: "project",
  params: runParams,
  success: 200,
  reply: evalRun,
  grants: { runs: ["GetItem", "Query"] },
});

export const deleteSessionRun = route({
  id: "deleteSessionRun",
  method: "DELETE",
  path: "/evaluations/session-runs/{run_id}",
  handler: "api/evaluations/delete-session-run",
  summary: "Delete an eval run of sessions",
  description: deletionDescription,
  access: "project",
  params: runParams,
  query: deletionQuery,
  success: 204,
  reply: v.void(),
  grants: deletionGrants,
});

export const retrySessionRun = route({
  id: "retrySessionRun",
  method: "POST",
  path: "/evaluations/session-runs/{run_id}/retry",
  handler: "api/evaluations/retry-session-run",
  summary: "Evaluate again what failed in an eval run of sessions",
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

export const listSessionRunTargets = route({
  id: "listSessionRunTargets",
  method: "GET",
  path: "/evaluations/session-runs/{run_id}/targets",
  handler: "api/evaluations/list-session-run-targets",
  summary: "List the sessions of an eval run and how far each is, in the order in which they were frozen",
  access: "project",
  params: runParams,
  query: targetsQuery,
  success: 200,
  reply: targetsPage,
  grants: targetsGrants,
});

export const listSessionRunScores = route({
  id: "listSessionRunScores",
  method: "GET",
  path: "/evaluations/session-runs/{run_id}/scores",
  handler: "api/evaluations/list-session-run-scores",
  summary: "List the scores of an eval run of sessions, newest first",
  description:
    "The scores of the sessions, all of them as a bare array; a page when `limit` or `offset` is given. The scores of " +
    "their traces that the run made are among those of traces, by `eval_run_id`.",
  access: "project",
  params: runParams,
  query: scoresQuery,
  success: 200,
  /** A bare array; a page when `limit` or `offset` is given. */
  reply: v.union([v.array(sessionScore), page(sessionScore)]),
  grants: { runs: ["GetItem", "Query"], scores: ["Query", "BatchGetItem"] },
  streams: true,
  memory: 1024,
});
