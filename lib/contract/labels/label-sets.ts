import * as v from "valibot";
import {
  labelDraws,
  labelSetStatuses,
  maxLabelItems,
  maxLabelMetrics,
  maxLabelSets,
  maxLabelsPerItem,
  minLabelItems,
} from "../../domain/labels/label-set.ts";
import { cannotTell } from "../../domain/labels/scale.ts";
import { scoreDataTypes } from "../../domain/scores/score.ts";
import { route } from "../route.ts";
import { scoreReading } from "../scores/trace-scores.ts";
import { closedObject } from "../schema/closed-object.ts";
import { integer, listOf, numberBetween, oneOf, page, paging, replyInstant, text, uuid } from "../schema/fields.ts";
import { plainText } from "../schema/plain-text.ts";
import { requestExamples } from "../schema/resource.ts";
import { traceFilters } from "../traces/filters.ts";

export const labelSetParams = v.object({ set_id: uuid });

const number = numberBetween(-1e9, 1e9);
const category = v.pipe(
  text(255, 1),
  v.check((name) => name !== cannotTell, `${cannotTell} is no category: it says that nobody can tell`),
);

const scaleInput = v.pipe(
  closedObject({
    data_type: oneOf(scoreDataTypes),
    min: v.nullish(number),
    max: v.nullish(number),
    threshold: v.nullish(
      v.pipe(number, v.description("Least number that passes; if absent, numbers neither pass nor fail.")),
    ),
    categories: v.nullish(listOf(category, 50, 2)),
    passing: v.nullish(
      v.pipe(listOf(category, 50), v.description("Categories that pass; if absent, they are only counted.")),
    ),
  }),
  v.check(({ data_type: type, ...fields }) => {
    const names = Object.entries(fields).flatMap(([name, value]) => (value == null ? [] : [name]));
    const needed = { BOOLEAN: [], NUMERIC: ["min", "max"], CATEGORICAL: ["categories"] }[type];
    const optional = { BOOLEAN: "", NUMERIC: "threshold", CATEGORICAL: "passing" }[type];
    return (
      needed.every((name) => names.includes(name)) && names.length - Number(names.includes(optional)) === needed.length
    );
  }, "A BOOLEAN scale has no other field; a NUMERIC one min, max and perhaps threshold; a CATEGORICAL one categories and perhaps passing"),
  v.check(({ min, max }) => min == null || max == null || min < max, "min should be less than max"),
  v.check(
    ({ categories, passing }) => passing == null || passing.every((name) => categories?.includes(name)),
    "Each of passing should be one of categories",
  ),
  v.title("LabelScaleInput"),
);

const labelSetInput = v.pipe(
  closedObject({
    name: plainText(512),
    metrics: v.pipe(
      listOf(
        closedObject({
          name: text(1024, 1),
          scale: v.nullish(
            v.pipe(scaleInput, v.description("Needed for a name that is no metric; a metric has its own.")),
          ),
        }),
        maxLabelMetrics,
        1,
      ),
      v.check((metrics) => new Set(metrics.map(({ name }) => name)).size === metrics.length, "Each metric once"),
      v.description("Metrics, or other names of scores, that each item is labelled for."),
    ),
    filters: v.optional(traceFilters, {}),
    trace_ids: v.nullish(
      v.pipe(
        listOf(uuid, maxLabelItems, 1),
        v.description(
          "Traces to draw from, in place of filters; their labels correct no rate, as those of traces that `score` or `no_score` select.",
        ),
      ),
    ),
    size: v.optional(
      v.pipe(numberBetween(minLabelItems, maxLabelItems), v.integer("Input should be a valid integer")),
      100,
    ),
    draw: v.pipe(
      v.optional(oneOf(labelDraws), "random"),
      v.description(
        "`random`; `stratified`: as many that pass as that fail; `uncertain`: those with the least probable verdicts of a decision model first; " +
          "`lowest`: those with the lowest scores first. All but `random` are by the newest scores of `by`, and correct no rate.",
      ),
    ),
    by: v.nullish(
      v.pipe(text(1024, 1), v.description("Name of the scores that the draw is by; the first metric if absent.")),
    ),
    labels_per_item: v.optional(
      v.pipe(numberBetween(1, maxLabelsPerItem), v.integer("Input should be a valid integer")),
      1,
    ),
    blind: v.pipe(v.optional(v.boolean(), true), v.description("True if people who label are not to see verdicts.")),
  }),
  v.check(
    ({ filters, trace_ids: ids }) => ids == null || Object.keys(filters).length === 0,
    () => "Send filters or trace_ids",
  ),
  v.title("LabelSetInput"),
  requestExamples([
    { name: "refunds", metrics: [{ name: "task_completion" }], filters: { tags: ["checkout"] }, size: 100 },
  ]),
);

const scale = v.pipe(
  v.object({
    data_type: oneOf(scoreDataTypes),
    min: v.nullable(v.number()),
    max: v.nullable(v.number()),
    threshold: v.pipe(v.nullable(v.number()), v.description("Least number that passes; null if none does.")),
    levels: v.pipe(
      v.array(v.object({ label: v.string(), value: v.number() })),
      v.description("Levels of a custom metric, from the best: the names of some of the numbers."),
    ),
    categories: v.array(v.string()),
    passing: v.pipe(v.array(v.string()), v.description("Categories that pass; empty if they are only counted.")),
  }),
  v.title("LabelScale"),
);

const labelSet = v.pipe(
  v.object({
    id: uuid,
    project_id: uuid,
    name: v.string(),
    metrics: v.array(
      v.object({
        name: v.string(),
        version: v.pipe(v.nullable(integer), v.description("Version of a custom metric.")),
        description: v.pipe(
          v.nullable(v.string()),
          v.description("What the metric judges; null for a name that is no metric."),
        ),
        scale,
      }),
    ),
    draw: v.pipe(
      v.nullable(oneOf(labelDraws)),
      v.description("Null for who may only label: it would tell something of the verdicts."),
    ),
    size: integer,
    item_count: integer,
    labels_per_item: integer,
    blind: v.pipe(
      v.nullable(oneOf(["enforced", "page"])),
      v.description(
        "`enforced` for a key with the access `label` and a member with the role LABELLER, who can read no verdict; `page` for others, from " +
          "whom the console hides them; null if the set is not blind.",
      ),
    ),
    status: oneOf(labelSetStatuses),
    labelled_count: v.pipe(integer, v.description("Items with at least one label.")),
    label_count: v.pipe(integer, v.description("Items by the people who labelled them.")),
    cannot_tell_count: integer,
    passed_over_count: v.pipe(
      integer,
      v.description("Items whose trace was deleted or changed, as far as the queue came upon them: nobody gets them."),
    ),
    published_count: v.pipe(integer, v.description("Scores that closing the set has made.")),
    unpublished_count: v.pipe(integer, v.description("Labels that made no score: their trace changed or was deleted.")),
    created_at: replyInstant,
    closed_at: v.nullable(replyInstant),
  }),
  v.title("LabelSet"),
  v.description("Traces that people label, and what they are asked."),
  v.examples([
    {
      id: "b1c6f0a2-7d3e-4f58-9a41-2e8d5c7b6f11",
      project_id: "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11",
      name: "refunds",
      metrics: [
        {
          name: "task_completion",
          version: null,
          description: "Evaluates whether the agent has done what the user asked for.",
          scale: { data_type: "NUMERIC", min: 0, max: 1, threshold: 0.5, levels: [], categories: [], passing: [] },
        },
      ],
      draw: "random",
      size: 100,
      item_count: 100,
      labels_per_item: 1,
      blind: "page",
      status: "OPEN",
      labelled_count: 12,
      label_count: 12,
      cannot_tell_count: 1,
      passed_over_count: 0,
      published_count: 0,
      unpublished_count: 0,
      created_at: "2026-11-21T09:00:04.000000+00:00",
      closed_at: null,
    },
  ]),
);

export type LabelSetReply = v.InferOutput<typeof labelSet>;

const path = "/evaluations/label-sets";

export const listLabelSets = route({
  id: "listLabelSets",
  method: "GET",
  path,
  handler: "api/labels/read-labels",
  summary: "List label sets",
  description: "Returns the label sets of the project, newest first.",
  access: "project",
  permission: "read_or_label",
  query: v.object(paging),
  success: 200,
  reply: page(labelSet),
  grants: scoreReading,
  memory: 1024,
});

export const createLabelSet = route({
  id: "createLabelSet",
  method: "POST",
  idempotency: "replay",
  path,
  handler: "api/labels/write-labels",
  summary: "Create a label set",
  description:
    `Draws ${minLabelItems} to ${maxLabelItems} of the traces that match and freezes their versions; fewer matching traces than \`size\` are all drawn, and fewer ` +
    `than ${minLabelItems} refused. A project can have ${maxLabelSets} label sets.`,
  access: "project",
  permission: "write",
  body: labelSetInput,
  success: 201,
  reply: labelSet,
  grants: {
    monitors: [
      ...(["GetItem", "BatchGetItem", "Query", "ConditionCheckItem"] as const),
      ...(["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"] as const),
    ],
    // Traces to draw and to show, and the scores that labels become.
    rows: ["GetItem", "BatchGetItem", "Query", "ConditionCheckItem"],
    bodies: ["GetItem", "BatchGetItem", "Query"],
    scores: ["GetItem", "BatchGetItem", "Query", "PutItem", "DeleteItem"],
    aggregates: ["BatchGetItem", "Query"],
  },
  memory: 1024,
});

export const getLabelSet = route({
  id: "getLabelSet",
  answeredBy: listLabelSets.id,
  method: "GET",
  path: `${path}/{set_id}`,
  handler: listLabelSets.handler,
  summary: "Get a label set",
  access: "project",
  permission: "read_or_label",
  params: labelSetParams,
  success: 200,
  reply: labelSet,
  grants: listLabelSets.grants,
});

export const deleteLabelSet = route({
  id: "deleteLabelSet",
  answeredBy: createLabelSet.id,
  method: "DELETE",
  path: `${path}/{set_id}`,
  handler: createLabelSet.handler,
  summary: "Delete a label set",
  description:
    "Deletes the set with its labels; scores that they became stay. After an error send the request again: it goes on where it ended.",
  access: "project",
  permission: "write",
  params: labelSetParams,
  success: 204,
  reply: v.void(),
  grants: createLabelSet.grants,
  // 10,000 labels.
  budget: { writeUnits: 100_000 },
});

export const closeLabelSet = route({
  id: "closeLabelSet",
  answeredBy: createLabelSet.id,
  method: "POST",
  idempotency: "none",
  path: `${path}/{set_id}/close`,
  handler: createLabelSet.handler,
  summary: "Close a label set",
  description:
    "Ends the labelling. The labels become scores of the source ANNOTATION, of people who could tell, on traces that did not change since; " +
    "of a large set in the background, while its status is CLOSING. No figure counts a label before.",
  access: "project",
  permission: "write",
  params: labelSetParams,
  refusesBody: true,
  success: 200,
  reply: labelSet,
  grants: createLabelSet.grants,
  // A part of 200 labels with ten metrics.
  budget: { writeUnits: 100_000, lookups: 10_000 },
});
