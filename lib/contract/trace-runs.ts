import * as v from "valibot";
import { runStatuses, targetTypes } from "../domain/run.ts";
import { resolveModel } from "../domain/model.ts";
import { instant, json, numberBetween, once, oneOf, page, paging, text, uuid } from "./fields.ts";
import { inJson } from "./json-schema.ts";
import { route } from "./route.ts";
import { traceFilters } from "./trace-filters.ts";
import { traceScore } from "./trace-scores.ts";

const integer = v.pipe(v.number(), v.integer());
const runParams = v.object({ run_id: uuid });

/** Metric names: at least one, each once, in the order given. Whether they exist is checked against the catalogue. */
const metrics = v.pipe(
  v.array(v.string("Input should be a valid string"), "Input should be a valid list"),
  v.description("Names from the list of metrics; each is evaluated once."),
  v.examples([["task_completion", "tool_correctness"]]),
  v.minLength(1, "List should have at least 1 item after validation, not 0"),
  v.maxLength(1000, "List should have at most 1000 items after validation"),
  v.transform((names) => [...new Set(names)]),
);

/** What `resolveModel` takes: a provider and a name, or a bare name whose provider is known. */
const modelPattern = "^(?:[^/]+/[\\s\\S]+|(?:gpt|o1|o3|claude|gemini)-[^/\\n\\r\\u2028\\u2029][^/]*)$";

const model = v.nullish(
  v.pipe(
    text(255, 1),
    v.check((given) => resolveModel(given) !== null, "Input should have the form <provider>/<model>"),
    v.description("The judge, as <provider>/<model>; null means the service's default."),
    inJson({ type: "string", maxLength: 255, pattern: modelPattern }),
  ),
);

const filteredRun = v.pipe(
  v.object({
    name: v.nullish(text(1024, 1)),
    metrics,
    filters: v.optional(traceFilters, {}),
    sampling_rate: v.optional(
      v.pipe(numberBetween(0, 1), v.description("Share of the matching targets that is evaluated, chosen at random.")),
      1,
    ),
    model,
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

export const evalRun = v.pipe(
  v.object({
    id: uuid,
    project_id: uuid,
    name: v.nullable(v.string()),
    status: oneOf(runStatuses),
    target_type: oneOf(targetTypes),
    metric_names: v.array(v.string()),
    filters: v.record(v.string(), json),
    sampling_rate: v.number(),
    model: v.nullable(v.string()),
    resolved_model: v.string(),
    monitor_id: v.nullable(uuid),
    retry_of: v.nullable(uuid),
    total_traces: integer,
    total_targets: integer,
    evaluated_count: integer,
    failed_count: integer,
    error_message: v.nullable(v.string()),
    created_at: instant,
    completed_at: v.nullable(instant),
  }),
  v.title("EvalRun"),
  v.description("An evaluation of targets with metrics. It is PENDING, then RUNNING, and ends COMPLETED or FAILED."),
  v.examples([
    {
      id: "d3b0a1de-8f5c-4c39-8a7e-2c1f4b6a9e02",
      project_id: "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11",
      name: "nightly",
      status: "COMPLETED",
      target_type: "TRACE",
      metric_names: ["task_completion", "tool_correctness"],
      filters: { status: "COMPLETED", tags: ["checkout"], date_from: "2026-11-01" },
      sampling_rate: 0.1,
      model: null,
      resolved_model: "openai/gpt-5.4-mini",
      monitor_id: null,
      retry_of: null,
      total_traces: 12,
      total_targets: 12,
      evaluated_count: 12,
      failed_count: 0,
      error_message: null,
      created_at: "2026-11-21T09:00:04+00:00",
      completed_at: "2026-11-21T09:00:09.250000+00:00",
    },
  ]),
);

export type EvalRun = v.InferOutput<typeof evalRun>;

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
  body: filteredRun,
  success: 202,
  reply: evalRun,
  limitPerMinute: 50,
  grants: { rows: ["GetItem", "Query"], runs: ["GetItem", "PutItem", "BatchWriteItem", "UpdateItem"] },
  memory: 1024,
});

export const listTraceRuns = route({
  id: "listTraceRuns",
  method: "GET",
  path: "/evaluations/trace-runs",
  handler: "api/evaluations/list-trace-runs",
  summary: "List eval runs of traces, newest first",
  access: "project",
  query: v.object({ ...paging, status: v.optional(once(oneOf(runStatuses))) }),
  success: 200,
  reply: page(evalRun),
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

export const listTraceRunScores = route({
  id: "listTraceRunScores",
  method: "GET",
  path: "/evaluations/trace-runs/{run_id}/scores",
  handler: "api/evaluations/list-trace-run-scores",
  summary: "List the scores of an eval run, newest first",
  description: "All of them as a bare array; a page when `limit` or `offset` is given.",
  access: "project",
  params: runParams,
  query: v.object({ limit: v.optional(paging.limit.wrapped), offset: v.optional(paging.offset.wrapped) }),
  success: 200,
  /** A bare array; a page when `limit` or `offset` is given. */
  reply: v.union([v.array(traceScore), page(traceScore)]),
  grants: { runs: ["GetItem", "Query"], scores: ["Query", "BatchGetItem"] },
  streams: true,
  memory: 1024,
});
