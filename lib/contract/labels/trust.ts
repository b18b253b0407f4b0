import * as v from "valibot";
import { cells } from "../../domain/labels/confusion.ts";
import { uses } from "../../domain/labels/fitness.ts";
import { halves } from "../../domain/labels/trust-result.ts";
import { route } from "../route.ts";
import { closedObject } from "../schema/closed-object.ts";
import { integer, oneOf, replyInstant, singleValue, text, uuid } from "../schema/fields.ts";
import { requestExamples } from "../schema/resource.ts";
import { createLabelSet, labelSetParams, listLabelSets } from "./label-sets.ts";

const metric = text(1024, 1);
const judge = v.pipe(
  text(1024, 1),
  v.description(
    "Judge whose verdicts are compared, by the id in its scores or as `<provider>/<model>`; any if absent.",
  ),
);

const trustInput = v.pipe(
  closedObject({
    metric,
    judge: v.nullish(judge),
    half: v.optional(oneOf(halves), "all"),
    split: v.pipe(
      v.optional(v.boolean(), false),
      v.description(
        "True to take the items of `half` only: those of dev and test are divided by a hash of the trace's id.",
      ),
    ),
  }),
  v.check(({ half, split }) => (half === "all") !== split, "A half needs `split`, and `split` a half"),
  v.title("TrustInput"),
  requestExamples([{ metric: "task_completion" }]),
);

const share = v.nullable(v.number());
const estimate = v.object({ value: share, lower: share, upper: share });

const disagreement = v.object({
  item_id: uuid,
  trace_id: uuid,
  cell: oneOf(cells),
  label: v.string(),
  verdict: v.string(),
  link: v.pipe(v.string(), v.description("URL of the trace in the console.")),
});

const trust = v.pipe(
  v.object({
    metric: v.string(),
    judge: v.nullable(v.string()),
    half: oneOf(halves),
    n: v.pipe(integer, v.description("Items with a label and a verdict.")),
    base_rate: v.pipe(share, v.description("Share of the labels that pass.")),
    confusion: v.pipe(
      v.object({ tp: integer, fp: integer, fn: integer, tn: integer }),
      v.description("Items by verdict and label; positive is what passes, false what the labels contradict."),
    ),
    agreement: share,
    kappa: v.pipe(estimate, v.description("Cohen's kappa with its 95 % interval.")),
    sensitivity: v.pipe(
      estimate,
      v.description("Share of the items that pass by their labels which the judge lets pass."),
    ),
    specificity: v.pipe(
      estimate,
      v.description("Share of the items that fail by their labels which the judge lets fail."),
    ),
    majority_baseline: v.pipe(share, v.description("Agreement of a judge that always gives the commoner verdict.")),
    people: v.pipe(
      v.object({ pairs: integer, agreement: share, kappa: share }),
      v.description("Agreement of people among themselves, on items with several labels: the ceiling of a judge's."),
    ),
    missing: v.pipe(integer, v.description("Labelled items without a verdict of the judge on the same content.")),
    ties: v.pipe(integer, v.description("Items whose labels are divided evenly; they do not count.")),
    cannot_tell: v.pipe(integer, v.description("Items that nobody could tell; they do not count.")),
    fit_for: oneOf(uses),
    reason: v.pipe(v.string(), v.description("Why, and what is missing for more.")),
    is_test: v.pipe(
      v.boolean(),
      v.description(
        "False if the metric's text changed since the set was made: its labels then were seen by those who changed it.",
      ),
    ),
    disagreements: v.pipe(
      v.array(disagreement),
      v.description("The first 100 items on which judge and people differ."),
    ),
    computed_at: replyInstant,
  }),
  v.title("Trust"),
  v.description("What a judge is worth on the labels of a set."),
);

export const computeTrust = route({
  id: "computeTrust",
  answeredBy: createLabelSet.id,
  method: "POST",
  idempotency: "none",
  path: "/evaluations/label-sets/{set_id}/trust",
  handler: createLabelSet.handler,
  summary: "Compare a judge with labels",
  description:
    "Compares the newest verdicts of a judge with the labels so far, and records the result; that of a random set corrects rates " +
    "(`corrected=true`). `gate` needs 100 labels, 20 that pass and 20 that fail, and a lower end of kappa of 0.6; `trend` a lower end of sensitivity and " +
    "specificity less 1 above 0.3; `exploration` above 0.",
  access: "project",
  permission: "write",
  params: labelSetParams,
  body: trustInput,
  success: 200,
  reply: trust,
  grants: createLabelSet.grants,
  // The scores of 2,000 traces.
  budget: { lookups: 50_000 },
});

export const getTrust = route({
  id: "getTrust",
  answeredBy: listLabelSets.id,
  method: "GET",
  path: "/evaluations/label-sets/{set_id}/trust",
  handler: listLabelSets.handler,
  summary: "Get the last trust result",
  access: "project",
  permission: "read",
  params: labelSetParams,
  query: v.object({ metric: singleValue(metric), judge: v.optional(singleValue(judge)) }),
  success: 200,
  reply: trust,
  grants: listLabelSets.grants,
});
