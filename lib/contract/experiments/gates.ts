import * as v from "valibot";
import { ruleKinds } from "../../domain/experiments/rules.ts";
import { limitVerdicts } from "../../domain/statistics/limit.ts";
import { listDatasets } from "../datasets/datasets.ts";
import { route } from "../route.ts";
import { closedObject } from "../schema/closed-object.ts";
import { documentedBySchema } from "../schema/json-schema.ts";
import { integer, listOf, numberBetween, oneOf, text, uuid } from "../schema/fields.ts";
import { requestExamples } from "../schema/resource.ts";
import { correctedParameter } from "../scores/estimates.ts";
import { rowFilters } from "../traces/filters.ts";
import { changedItem, limitTest } from "./experiments.ts";

/** Longest wait for traces and scores, in seconds: below the 29 s after which the gateway answers. */
const maxWait = 25;

const amount = (description: string, most = 1_000_000) =>
  v.pipe(v.optional(numberBetween(0, most)), v.description(description));

const amounts = {
  max_drop: amount("Largest drop of the metric's mean that passes, in units of the score."),
  min_rate: amount("Smallest share of passed scores of the candidate that passes.", 1),
  min_mean: amount("Smallest mean of the metric's scores of the candidate that passes."),
  max_cost_increase: amount(
    "Largest increase of the mean cost that passes, as a share of the baseline's: 0.1 is 10 %.",
  ),
  max_latency_increase: amount("Largest increase of the mean latency that passes, as a share of the baseline's."),
};

/** Rules that are about scores, and so name a metric. */
const metricRules: ReadonlySet<string> = new Set(["max_drop", "min_rate", "min_mean"]);

export const gateRule = v.pipe(
  closedObject({
    metric: v.optional(text(1024, 1)),
    ...amounts,
    watch: v.pipe(v.optional(v.boolean(), false), v.description("True for a rule that is shown and does not decide.")),
  }),
  v.check(
    (rule) => ruleKinds.filter((kind) => rule[kind] !== undefined).length === 1,
    `A rule has one of ${ruleKinds.join(", ")}`,
  ),
  v.check(
    (rule) =>
      ruleKinds.every((kind) => rule[kind] === undefined || metricRules.has(kind) === (rule.metric !== undefined)),
    "A rule about scores names its metric, one about cost or latency none",
  ),
  v.title("GateRule"),
);

/** Traces of a side: an experiment, by its id or `approved`, or those that match filters. */
const side = (description: string) =>
  v.pipe(
    // A union would say of a misspelt filter only that it is neither.
    v.lazy((input) => (typeof input === "string" ? text(1024, 1) : rowFilters)),
    documentedBySchema(v.union([text(1024, 1), rowFilters])),
    v.description(description),
  );

const gateInput = v.pipe(
  closedObject({
    candidate: side("Id of the experiment that is to pass, or filters of its traces."),
    baseline: v.optional(
      side(
        "Id of the experiment to compare with, filters of its traces, or `approved`: the experiment that the candidate's dataset names as " +
          "approved. Needed for rules that compare.",
      ),
    ),
    rules: listOf(gateRule, 20, 1),
    on_cannot_tell: v.pipe(
      v.optional(oneOf(["pass", "fail"])),
      v.description("What the exit code says if the data do not decide: 0 or 1; by default it is 3."),
    ),
    wait: v.pipe(
      v.optional(numberBetween(0, maxWait), 0),
      v.description("Seconds to wait for traces that run and scores that are missing; a request waits at most 20."),
    ),
  }),
  v.title("GateInput"),
  requestExamples([
    {
      candidate: "9a2d5c0e-1f3b-5d47-8e60-2b7c4d9f1a35",
      baseline: "approved",
      rules: [
        { metric: "helpful", max_drop: 0.05 },
        { max_cost_increase: 0.2, watch: true },
      ],
      wait: 20,
    },
  ]),
);

const outcome = v.pipe(
  v.object({
    rule: v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])),
    verdict: oneOf(limitVerdicts),
    ...limitTest.entries,
    more_items: v.pipe(
      v.nullable(integer),
      v.description("Further items with which a verdict would be likely; null with a verdict, and if nobody can tell."),
    ),
    regressions: v.pipe(v.array(changedItem), v.description("The ten items that lost most, the worst first.")),
  }),
  v.title("GateOutcome"),
  v.description(
    "What the data say of a rule. `mean` is the mean difference for `max_drop`, the candidate's mean or pass rate for `min_mean` and `min_rate`, " +
      "and what is left of the accepted increase, in US dollars or milliseconds, for the others; `interval` is its interval.",
  ),
);

/** States of a gate: `running` while traces run, or scores are missing that may still come. */
const gateStatuses = ["pass", "fail", "cannot_tell", "running"] as const;

const gate = v.pipe(
  v.object({
    status: oneOf(gateStatuses),
    exit_code: v.pipe(
      integer,
      v.description("0 for pass, 1 for fail, 3 for running, and for cannot_tell unless `on_cannot_tell` is set."),
    ),
    candidate: v.pipe(v.nullable(uuid), v.description("Id of the experiment; null for filters.")),
    baseline: v.nullable(uuid),
    is_paired: v.pipe(
      v.boolean(),
      v.description("True if items are compared with themselves; false with filters, and without a baseline."),
    ),
    awaited: v.pipe(
      v.nullable(v.object({ trace_ids: v.array(uuid), run_ids: v.array(uuid) })),
      v.description(
        "What a `running` gate waits for, at most 20 traces and runs: traces that have not ended in the 24 hours after their start, else runs that " +
          "judge; neither in the two minutes in which programs may send scores. Null unless `running`.",
      ),
    ),
    outcomes: v.array(outcome),
  }),
  v.title("Gate"),
  v.description(
    "A rule passes if the whole 95 % interval lies on the good side and fails if it lies on the bad side. The gate fails if a deciding rule fails, " +
      "with the level divided among the rules (Holm), and passes if all of them pass.",
  ),
);

export type GateInput = v.InferOutput<typeof gateInput>;
export type GateReply = v.InferOutput<typeof gate>;

export const markdownType = "text/markdown; charset=utf-8";

export const evaluateGate = route({
  id: "evaluateGate",
  answeredBy: listDatasets.id,
  method: "POST",
  idempotency: "none",
  path: "/evaluations/gates",
  handler: listDatasets.handler,
  summary: "Evaluate a gate",
  description:
    "Tells whether an experiment may pass, beside a baseline; stores nothing. Items are compared with themselves, repeats of an item count once; " +
    "traces that filters select are compared without pairs, as two releases are. Items without a trace or a score are neither a loss nor a pass; " +
    "with more than 10 % of them nobody can tell. Of traces that filters select those with a score decide, however few they are (`unjudged` says " +
    "how many have none). `running` means that traces run, for 24 hours at most (later they count as unjudged), or that scores are missing which an open run of the metric " +
    "or the first two minutes after the last trace may bring. With `Accept: text/markdown` the reply is a comment for a pull request.",
  access: "project",
  permission: "read",
  query: v.object({ corrected: correctedParameter }),
  body: gateInput,
  success: 200,
  reply: gate,
  textMedia: markdownType,
  warns: true,
  grants: listDatasets.grants,
});
