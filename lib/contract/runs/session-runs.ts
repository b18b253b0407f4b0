import * as v from "valibot";
import { dryRunField } from "../list-query.ts";
import { closedObject } from "../schema/closed-object.ts";
import { listOf, text } from "../schema/fields.ts";
import { runName, sessionMetricList } from "./fields.ts";
import { requestExamples } from "../schema/resource.ts";
import { runRoutes } from "./run-routes.ts";
import { runSettings } from "./settings.ts";
import { sessionFilters } from "../sessions/filters.ts";
import { sessionScore } from "../scores/session-scores.ts";

const { sampling_rate, model, signal_weights, max_cost_usd, tier } = runSettings.input;

const filteredRun = v.pipe(
  closedObject({
    name: runName,
    metrics: sessionMetricList,
    filters: v.optional(sessionFilters, {}),
    sampling_rate,
    model,
    signal_weights,
    max_cost_usd,
    tier,
    ...dryRunField,
  }),
  v.title("SessionEvalRunInput"),
  requestExamples([
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
  closedObject({
    session_ids: v.pipe(
      listOf(text(255), 100_000, 1),
      v.transform((ids) => [...new Set(ids)]),
      v.description(
        "Ids of the sessions to evaluate, with duplicates removed; at most 10,000 different ids unless the operator has set another limit.",
      ),
    ),
    metrics: sessionMetricList,
    name: runName,
    model,
    signal_weights,
    max_cost_usd,
    tier,
    ...dryRunField,
  }),
  v.title("SessionBatchEvalRunInput"),
  requestExamples([{ session_ids: ["chat-7"], metrics: ["agent_reliability", "agent_consistency"] }]),
);

export const {
  createRun: createSessionRun,
  createBatchRun: createSessionBatchRun,
  listRuns: listSessionRuns,
  getRun: getSessionRun,
  deleteRun: deleteSessionRun,
  retryRun: retrySessionRun,
  listTargets: listSessionRunTargets,
  listScores: listSessionRunScores,
} = runRoutes("session", {
  filteredRun,
  batchRun,
  batchDescription:
    "Evaluates exactly these sessions with all metrics. Sessions without traces are accepted; their pairs of target and metric count " +
    "as failed. `filters` of the run is empty; use `/targets` to list its targets.",
  score: sessionScore,
  scoresDescription:
    "Returns all session scores of the run, newest first, as a plain array, or as a page with `limit`, `offset` or `cursor`. Trace " +
    "scores that the run created are in the list of trace scores, by `eval_run_id`.",
});
