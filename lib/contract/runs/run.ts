import * as v from "valibot";
import { runStatuses, targetTypes } from "../../domain/runs/run.ts";
import { serviceTiers } from "../../domain/runs/tier.ts";
import { judgeCascadeReply } from "./judge-cascade.ts";
import { integer, json, oneOf, replyInstant, uuid } from "../schema/fields.ts";

/** Fields of the total usage of judge calls. */
export const judgeUsageFields = {
  calls: integer,
  prompt_tokens: integer,
  completion_tokens: integer,
  cached_tokens: v.pipe(integer, v.description("Number of prompt tokens that the provider read from its cache.")),
  cost_usd: v.pipe(
    v.nullable(v.number()),
    v.description("Cost of the reported tokens in US dollars; null if any price is unknown."),
  ),
  unreported_usd: v.pipe(
    v.number(),
    v.description(
      "Upper bound in US dollars of what providers may have billed without reporting it: calls that failed after they were sent, " +
        "counts that are missing or impossible, and what the calls of workers that died may have cost. It counts toward cost ceilings beside `cost_usd`.",
    ),
  ),
};

const judgeUsage = v.pipe(v.object(judgeUsageFields), v.title("JudgeUsage"));

/** Schema of an eval run in replies. */
export const evalRun = v.pipe(
  v.object({
    id: uuid,
    project_id: uuid,
    name: v.nullable(v.string()),
    status: oneOf(runStatuses),
    target_type: oneOf(targetTypes),
    metric_names: v.array(v.string()),
    filters: v.pipe(
      v.record(v.string(), json),
      v.description(
        "Filters as sent, with `started_after` and `started_before` as `date_from` and `date_to`; empty for runs of listed targets and retries.",
      ),
    ),
    sampling_rate: v.number(),
    model: v.nullable(v.string()),
    resolved_model: v.pipe(v.string(), v.description("Judge model that the run uses; the first one of two.")),
    judge: judgeCascadeReply,
    monitor_id: v.nullable(uuid),
    retry_of: v.pipe(v.nullable(uuid), v.description("Id of the run whose failed pairs this run retries.")),
    max_cost_usd: v.nullable(v.number()),
    tier: v.pipe(oneOf(serviceTiers), v.description("Service tier of the first attempt of judge calls.")),
    total_traces: integer,
    total_targets: integer,
    evaluated_count: v.pipe(integer, v.description("Number of finished targets, including failed and missing ones.")),
    failed_count: v.pipe(
      integer,
      v.description("Number of finished pairs of target and metric without a successful score."),
    ),
    escalated_count: v.pipe(integer, v.description("Number of finished pairs that the second judge was asked about.")),
    judge_usage: v.pipe(judgeUsage, v.description("Usage of the judge calls so far.")),
    cost_by_metric: v.pipe(
      v.nullable(v.record(v.string(), v.number())),
      v.description(
        "Parts of `judge_usage.cost_usd` by metric, in US dollars, computed: the cost of a call that serves several metrics is divided by " +
          "the number of questions of each. Calls after which a metric was judged again, and calls about traces for session metrics, are in no part. " +
          "Null if any price is unknown.",
      ),
    ),
    waiting_for: v.pipe(
      v.nullable(v.string()),
      v.description(
        "Reason why the run currently waits: an unavailable provider or a cost ceiling; null if it does not wait.",
      ),
    ),
    error_message: v.nullable(v.string()),
    created_at: replyInstant,
    completed_at: v.nullable(replyInstant),
  }),
  v.title("EvalRun"),
  v.description(
    "An evaluation of targets with metrics. Its status is PENDING, then RUNNING, and finally COMPLETED or FAILED.",
  ),
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
      judge: null,
      monitor_id: null,
      retry_of: null,
      max_cost_usd: null,
      tier: "standard",
      total_traces: 12,
      total_targets: 12,
      evaluated_count: 12,
      failed_count: 0,
      escalated_count: 0,
      judge_usage: {
        calls: 36,
        prompt_tokens: 72000,
        completion_tokens: 4300,
        cached_tokens: 41000,
        cost_usd: 0.0451,
        unreported_usd: 0,
      },
      cost_by_metric: { task_completion: 0.0203, tool_correctness: 0.0248 },
      waiting_for: null,
      error_message: null,
      created_at: "2026-11-21T09:00:04.000000+00:00",
      completed_at: "2026-11-21T09:00:09.250000+00:00",
    },
  ]),
);

export type EvalRun = v.InferOutput<typeof evalRun>;
