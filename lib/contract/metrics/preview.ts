import * as v from "valibot";
import { booleanWord } from "../list-query.ts";
import { listOf, once, text, uuid } from "../fields.ts";
import { route } from "../route.ts";
import { judgeUsageFields } from "../runs/run.ts";
import { maxCostUsd, model, tier } from "../runs/fields.ts";
import { previewedScoreFields } from "../scores/fields.ts";
import { traceInput } from "../traces/trace-input.ts";
import { customMetricInput } from "./custom-fields.ts";
import { customMetricRemarks } from "./custom-metrics.ts";

const dollars = v.nullable(v.number());

const previewed = v.object({
  trace_id: v.pipe(v.nullable(uuid), v.description("Null of a trace that was sent along.")),
  found: v.pipe(v.boolean(), v.description("False: the project has no such trace.")),
  score: v.pipe(
    v.nullable(v.pipe(v.object(previewedScoreFields), v.title("PreviewedScore"))),
    v.description(
      "As a run would store it, and nothing stores it here. Null of a dry run that would ask a judge, and where no trace was found.",
    ),
  ),
  messages: v.pipe(
    v.array(v.object({ system: v.string(), user: v.string() })),
    v.description(
      "What the judge is sent, word for word, a question each. Behind a question come its further tries, where they say something else: what was wrong with the first answer, or half of a record that was too long. Empty where none is asked.",
    ),
  ),
  usage: v.object(judgeUsageFields),
  estimated_cost_usd: v.pipe(
    dollars,
    v.description("What judging it is likely to cost, reckoned beforehand; null when the model's price is not known."),
  ),
});

const preview = v.pipe(
  v.object({
    model: v.pipe(v.nullable(v.string()), v.description("The model that is asked; null where none is.")),
    remarks: customMetricRemarks,
    items: v.pipe(v.array(previewed), v.description("In the order that was asked for.")),
  }),
  v.title("CustomMetricPreview"),
  v.examples([
    {
      model: "openai/gpt-5.4-mini",
      remarks: [],
      items: [
        {
          trace_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01",
          found: false,
          score: null,
          messages: [],
          usage: { calls: 0, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, cost_usd: 0 },
          estimated_cost_usd: 0,
        },
      ],
    },
  ]),
);

export const previewCustomMetric = route({
  id: "previewOwnMetric",
  method: "POST",
  repeats: "once",
  path: "/evaluations/metrics/preview",
  handler: "api/metrics/preview-custom-metric",
  summary: "Try a metric of one's own on a few traces",
  description:
    "Judges as a run would, now, and stores no score and no run: what it costs counts toward the ceilings of judging, and is set aside " +
    "before a call. The reply comes trace by trace, a line each, within 25 seconds; what a judge did not answer by then is FAILED and says so. A dry run " +
    "shows messages and likely cost, and asks nobody. Sent again it judges, and costs, again.",
  access: "project",
  permission: "write",
  query: v.object({
    dry_run: v.optional(
      once(v.pipe(booleanWord, v.description("Whether to show messages and likely cost only: no judge is asked."))),
      ["false"],
    ),
  }),
  body: v.pipe(
    v.object({
      metric: v.pipe(v.nullish(customMetricInput), v.description("A metric as it is sent; it need not be stored.")),
      metric_name: v.pipe(
        v.nullish(text(71, 1)),
        v.description("In place of `metric`: one of the project's own, `name` or `name@3`."),
      ),
      trace_ids: v.nullish(v.pipe(listOf(uuid, 5, 1), v.description("Traces of the project."))),
      trace: v.pipe(
        v.nullish(traceInput),
        v.description("In place of `trace_ids`: a trace as it is sent. It is not stored."),
      ),
      model,
      max_cost_usd: maxCostUsd,
      tier,
    }),
    v.title("CustomMetricPreviewInput"),
    v.examples([{ metric_name: "polite_refusal@2", trace_ids: ["0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01"] }]),
  ),
  success: 200,
  reply: preview,
  streams: true,
  judges: true,
  grants: {
    rows: ["GetItem", "Query"],
    bodies: ["Query"],
    monitors: ["GetItem"],
    spend: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"],
    /** Of an organization that has a ceiling. */
    access: ["GetItem", "BatchGetItem"],
  },
  memory: 1024,
});

export type PreviewedReply = v.InferOutput<typeof previewed>;
