import * as v from "valibot";
import { dryRunField, dryRunQuery } from "../list-query.ts";
import { closedObject } from "../schema/closed-object.ts";
import { listOf, text, uuid } from "../schema/fields.ts";
import { route } from "../route.ts";
import { judgeAlternatives } from "../runs/estimate.ts";
import { judgeUsageFields } from "../runs/run.ts";
import { runSettings } from "../runs/settings.ts";
import { requestExamples } from "../schema/resource.ts";
import { previewScoreFields } from "../scores/fields.ts";
import { traceInput } from "../traces/trace-input.ts";
import { customMetricDefinition } from "./custom-fields.ts";
import { lintWarnings, readsAsText } from "./custom-metrics.ts";

const dollars = v.nullable(v.number());

const previewItem = v.object({
  trace_id: v.pipe(v.nullable(uuid), v.description("Id of the trace; null if the trace was part of the request.")),
  found: v.pipe(v.boolean(), v.description("False if the project has no such trace.")),
  score: v.pipe(
    v.nullable(v.pipe(v.object(previewScoreFields), v.title("PreviewedScore"))),
    v.description(
      "Score that a run would store, not stored by the preview; null if the trace does not exist, and in dry runs that would need a judge.",
    ),
  ),
  messages: v.pipe(
    v.array(v.object({ system: v.string(), user: v.string() })),
    v.description(
      "Exact messages to the judge, one item per question, each followed by its retries with different text; empty if no judge is called.",
    ),
  ),
  usage: v.object(judgeUsageFields),
  estimated_cost_usd: v.pipe(
    dollars,
    v.description("Estimated cost of judging the trace in US dollars; null if the price of the model is unknown."),
  ),
  alternatives: judgeAlternatives,
});

const preview = v.pipe(
  v.object({
    model: v.pipe(v.nullable(v.string()), v.description("Judge model; null if no judge is called.")),
    reads_as: readsAsText,
    remarks: lintWarnings,
    items: v.pipe(v.array(previewItem), v.description("Results per trace, in the order of the request.")),
  }),
  v.title("CustomMetricPreview"),
  v.examples([
    {
      model: "openai/gpt-5.4-mini",
      reads_as: "1.0 and success: the agent did decline; 0.0 and failure: the agent did not decline",
      remarks: [],
      items: [
        {
          trace_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01",
          found: false,
          score: null,
          messages: [],
          usage: { calls: 0, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, cost_usd: 0, unreported_usd: 0 },
          estimated_cost_usd: 0,
          alternatives: [],
        },
      ],
    },
  ]),
);

export const previewCustomMetric = route({
  id: "previewOwnMetric",
  method: "POST",
  idempotency: "none",
  path: "/evaluations/metrics/preview",
  handler: "api/metrics/preview-custom-metric",
  summary: "Preview a custom metric",
  description:
    "Evaluates up to five traces at once without storing a run or scores. The cost is reserved before each judge call and counts " +
    "toward the cost ceilings. The operator limits previews that ask a judge, by a number per organization and day and by the " +
    "judges' concurrency; beyond both it is 429. Results are streamed, one line per trace, within 25 seconds; a judge call without an answer by " +
    "then is FAILED. A dry run returns the messages and the estimated cost without calling a judge. A repeated request is " +
    "evaluated, and paid, again.",
  access: "project",
  permission: "write",
  query: dryRunQuery("True to return messages and estimated cost without calling a judge."),
  body: v.pipe(
    closedObject({
      metric: v.pipe(
        v.nullish(customMetricDefinition),
        v.description("Definition of the metric, which does not need to be stored."),
      ),
      metric_name: v.pipe(
        v.nullish(text(71, 1)),
        v.description("Stored custom metric to use instead of `metric`, as `name` or `name@3`."),
      ),
      trace_ids: v.nullish(v.pipe(listOf(uuid, 5, 1), v.description("Ids of one to five traces of the project."))),
      trace: v.pipe(
        v.nullish(traceInput),
        v.description("Trace to evaluate instead of `trace_ids`, which is not stored."),
      ),
      model: runSettings.input.model,
      max_cost_usd: runSettings.input.max_cost_usd,
      tier: runSettings.input.tier,
      ...dryRunField,
    }),
    v.title("CustomMetricPreviewInput"),
    requestExamples([{ metric_name: "polite_refusal@2", trace_ids: ["0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01"] }]),
  ),
  success: 200,
  reply: preview,
  streams: true,
  callsJudges: true,
  /** Five traces, each with the repeated and escalated calls of a metric. */
  budget: { providerCalls: 100 },
  grants: {
    rows: ["GetItem", "Query"],
    bodies: ["Query"],
    monitors: ["GetItem"],
    // When the experiment of a trace began, for metrics that use the expected output.
    aggregates: ["Query"],
    spend: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"],
    /** The access table is only read if the organization has a cost ceiling. */
    access: { BatchGetItem: ["project"] },
  },
  memory: 1024,
});

export type PreviewItem = v.InferOutput<typeof previewItem>;
