import * as v from "valibot";
import { listDatasets } from "../datasets/datasets.ts";
import { route } from "../route.ts";
import { integer, jsonObject, oneOf, page, paging, replyInstant, singleValue, text, uuid } from "../schema/fields.ts";
import { amountText } from "../list-query.ts";
import { corrected, correctedParameter, interval } from "../scores/estimates.ts";
import { scoreDataTypes } from "../../domain/scores/score.ts";
import { maxScoredTraces, ruleReasons } from "../../domain/experiments/rules.ts";
import { verdicts } from "../../domain/statistics/compare.ts";

/** Path parameter of an experiment: its id, any text. */
export const experimentParams = v.object({ experiment_id: text(1024, 1) });

const experiment = v.pipe(
  v.object({
    id: uuid,
    project_id: uuid,
    name: v.string(),
    dataset: v.pipe(v.nullable(v.string()), v.description("Dataset as the traces name it: its id, or its name.")),
    started_at: v.pipe(replyInstant, v.description("Start of its earliest trace.")),
  }),
  v.title("Experiment"),
  v.description("The traces of one release of an agent over the items of a dataset."),
);

const count = (description: string) => v.pipe(integer, v.description(description));

const summary = v.pipe(
  v.object({
    ...experiment.entries,
    continued_at: v.pipe(
      v.nullable(replyInstant),
      v.description(
        "Start of the trace that last continued the experiment after an hour or more without a new one; null if it ran at once. Without an id " +
          "of its own a second run under one name continues the experiment until 24 hours after its last trace, and begins another one later.",
      ),
    ),
    trace_count: integer,
    running_count: count("Traces that have not ended."),
    error_count: count("Traces with the status ERROR."),
    item_count: count("Different items that the traces name."),
    missing_count: count("Items that the dataset had when the experiment began, and that no trace names."),
    total_cost: v.pipe(v.number(), v.description("US dollars.")),
    total_tokens: integer,
    latency_p50_ms: v.nullable(v.number()),
    latency_p95_ms: v.nullable(v.number()),
    scores: v.pipe(
      v.array(
        v.object({
          id: uuid,
          external_id: v.nullable(v.string()),
          name: v.string(),
          value: v.nullable(v.string()),
          data_type: oneOf(scoreDataTypes),
          applicable: v.pipe(v.boolean(), v.description("Always true.")),
          reason: v.nullable(v.string()),
          metadata: jsonObject,
          config_id: v.nullable(v.string()),
          created_at: replyInstant,
        }),
      ),
      v.description(
        "Scores of the experiment as a whole, which Langfuse's SDKs send with a `datasetRunId`; at most 100.",
      ),
    ),
    metrics: v.pipe(
      v.nullable(
        v.array(
          v.object({
            metric_name: v.string(),
            judged_count: count("Traces with a score, those to which the metric does not apply included."),
            failed_count: count("Traces whose newest judgement failed."),
            mean: v.nullable(v.number()),
          }),
        ),
      ),
      v.description(`Progress by metric; null for more than ${maxScoredTraces} traces.`),
    ),
  }),
  v.title("ExperimentSummary"),
);

const itemTrace = v.object({
  trace_id: uuid,
  started_at: replyInstant,
  has_ended: v.boolean(),
  has_failed: v.boolean(),
  latency_ms: v.nullable(v.number()),
  cost: v.number(),
  scores: v.array(
    v.object({
      name: v.string(),
      value: v.nullable(v.string()),
      number: v.nullable(v.number()),
      applicable: v.nullable(v.boolean()),
      has_failed: v.pipe(v.boolean(), v.description("True if the newest judgement failed.")),
    }),
  ),
});

const experimentItem = v.pipe(
  v.object({
    item_id: v.pipe(v.nullable(uuid), v.description("Null for traces that name no item.")),
    traces: v.array(itemTrace),
  }),
  v.title("ExperimentItem"),
);

const side = v.object({
  trace_ids: v.array(uuid),
  value: v.pipe(v.nullable(v.number()), v.description("Mean of the item's values; null without any.")),
  passed: v.pipe(
    v.nullable(v.boolean()),
    v.description("True if most repeats reached the threshold of the metric; null without one, and if as many failed."),
  ),
});

export const changedItem = v.pipe(
  v.object({
    item_id: uuid,
    item_name: v.pipe(v.nullable(v.string()), v.description("Id that the traces give the item, if it is no UUID.")),
    input: v.pipe(v.nullable(v.string()), v.description("Beginning of a trace's input.")),
    baseline: side,
    candidate: side,
    difference: v.number(),
  }),
  v.title("ChangedItem"),
);

const counts = v.pipe(
  v.object({
    compared: integer,
    missing: count("Items without a trace on a side."),
    unjudged: count(
      "Items with traces, but without a score on a side. Of traces that filters select they are not missing, since monitors may sample: the others decide.",
    ),
    inapplicable: count("Items to which the metric does not apply on a side."),
    lapsed: count(
      "Of the inapplicable ones those to which the metric applied on the baseline, or for `min_mean` and `min_rate` those with an empty output; " +
        "without pairs the traces with an empty output beyond the baseline's share. They are no loss, but count with the missing ones.",
    ),
    repeated: count("Items with several traces on a side, which count once, with their mean."),
    duplicated: count("Items with more traces on a side than most others have: runs that were perhaps not meant."),
    retired: count("Items of the baseline that the dataset had no longer; they are not compared."),
  }),
  v.title("ExperimentItemCounts"),
);

const meanOfSide = v.nullable(v.number());

export const limitTest = v.pipe(
  v.object({
    mean: v.pipe(v.nullable(v.number()), v.description("Mean of what is tested; null without values.")),
    interval,
    count: integer,
    baseline_mean: v.pipe(meanOfSide, v.description("Mean of the compared items of the baseline.")),
    candidate_mean: v.pipe(meanOfSide, v.description("Mean of the compared items of the candidate.")),
    detectable_difference: v.pipe(
      v.nullable(v.number()),
      v.description("Smallest drop that this many items could have shown."),
    ),
    items: counts,
    corrected: v.pipe(
      v.optional(v.object({ baseline: v.nullable(corrected), candidate: corrected })),
      v.description(
        "With `corrected=true` the pass rates of a metric on both sides, of all traces; null without a baseline.",
      ),
    ),
    reason: v.pipe(
      v.nullable(oneOf(ruleReasons)),
      v.description(
        "`no_scores`: no item has a score on each side; `too_many_missing`: more than 10 % have no trace, no score, a metric that lapsed or too many traces; " +
          "`too_few`: fewer than ten do have one, or nothing differs at all on a scale other than 0 to 1; " +
          "`no_threshold`: the scores of a `min_rate` neither pass nor fail, since their metric has no threshold.",
      ),
    ),
  }),
  v.title("ItemsTest"),
);

const measureComparison = v.object({
  ...limitTest.entries,
  verdict: oneOf(verdicts),
  regression_count: integer,
  improvement_count: integer,
  newly_failed_count: count("Items that passed before and fail now."),
  newly_passed_count: count("Items that failed before and pass now."),
  regressions: v.pipe(v.array(changedItem), v.description("The 50 items that lost most, the worst first.")),
  improvements: v.pipe(v.array(changedItem), v.description("The 50 items that gained most, the best first.")),
});

const metricComparison = v.pipe(
  v.object({ metric_name: v.string(), ...measureComparison.entries }),
  v.title("MetricOfExperiments"),
);

const measure = v.pipe(
  measureComparison,
  v.title("MeasureOfExperiments"),
  v.description(
    "Cost in US dollars, or latency in milliseconds: `worse` if it rose for sure, `not_worse` if it did not.",
  ),
);

const comparison = v.pipe(
  v.object({
    candidate: experiment,
    baseline: experiment,
    verdict: v.pipe(
      oneOf(verdicts),
      v.description("`worse` if a metric is, all of them together (Holm); `not_worse` if all are."),
    ),
    metrics: v.pipe(
      v.array(metricComparison),
      v.description("All metrics that are not categorical, by name, or the named one."),
    ),
    cost: measure,
    latency: measure,
  }),
  v.title("ExperimentComparison"),
);

export const listExperiments = route({
  id: "listExperiments",
  answeredBy: listDatasets.id,
  method: "GET",
  path: "/experiments",
  handler: listDatasets.handler,
  summary: "List experiments",
  description:
    "Returns the experiments that traces of the project name, newest first. A span names its trace's experiment by `langfuse.experiment.*`, or by " +
    "`assay.experiment`, `assay.experiment.item` and `assay.dataset`.",
  access: "project",
  permission: "read",
  query: v.object({ name: v.optional(singleValue(text(512, 1))), ...paging }),
  success: 200,
  reply: page(experiment),
  grants: listDatasets.grants,
});

const shared = {
  answeredBy: listDatasets.id,
  method: "GET",
  handler: listDatasets.handler,
  access: "project",
  permission: "read",
  success: 200,
  grants: listDatasets.grants,
} as const;

export const getExperiment = route({
  ...shared,
  id: "getExperiment",
  path: "/experiments/{experiment_id}",
  summary: "Get an experiment",
  params: experimentParams,
  reply: summary,
});

export const listExperimentItems = route({
  ...shared,
  id: "listExperimentItems",
  path: "/experiments/{experiment_id}/items",
  summary: "List items of an experiment",
  description:
    `Returns the items with their traces, and the newest score of each name. A page ends early at 5 MB and at ${maxScoredTraces} traces; ` +
    "`next_cursor` leads on. An item whose traces do not fit alone is refused with 413: list them by `GET /traces?experiment=`.",
  params: experimentParams,
  query: v.object(paging),
  reply: page(experimentItem),
});

export const compareExperiments = route({
  ...shared,
  id: "compareExperiments",
  warns: true,
  path: "/experiments/{experiment_id}/compare",
  summary: "Compare two experiments",
  description:
    "Compares the metrics, cost and latency of the experiment with those of a baseline, item by item: repeats of an item count once, with their " +
    "mean, and `mean` is the mean difference. A metric is `worse` if the whole interval is below `-max_drop`, `not_worse` if none of it is. " +
    `Experiments of more than ${maxScoredTraces} traces are compared by one metric at a time.`,
  params: experimentParams,
  query: v.object({
    baseline: singleValue(v.pipe(text(1024, 1), v.description("Id of the experiment to compare with."))),
    metric_name: v.optional(
      singleValue(v.pipe(text(1024), v.description("The only metric to compare; all if absent."))),
    ),
    max_drop: v.optional(singleValue(amountText), ["0.05"]),
    corrected: correctedParameter,
  }),
  reply: comparison,
});

export type ExperimentReply = v.InferOutput<typeof experiment>;
export type ExperimentSummaryReply = v.InferOutput<typeof summary>;
export type MeasureComparisonReply = v.InferOutput<typeof measureComparison>;
