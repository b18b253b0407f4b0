import * as v from "valibot";
import { cannotTell } from "../../domain/labels/scale.ts";
import { labellerTypes, maxLabelItems, maxLabelsPerItem, labelSetStatuses } from "../../domain/labels/label-set.ts";
import { labelColumns } from "../../domain/labels/columns.ts";
import { cells } from "../../domain/labels/confusion.ts";
import { route } from "../route.ts";
import { sentScoreValue } from "../scores/fields.ts";
import { closedObject } from "../schema/closed-object.ts";
import {
  dictionaryOf,
  integer,
  listOf,
  oneOf,
  page,
  pageLimit,
  paging,
  replyInstant,
  singleValue,
  text,
  uuid,
} from "../schema/fields.ts";
import { documentedBySchema } from "../schema/json-schema.ts";
import { requestExamples } from "../schema/resource.ts";
import { trace } from "../traces/trace.ts";
import { createLabelSet, labelSetParams, listLabelSets } from "./label-sets.ts";

const cannotTellInput = v.object({ [cannotTell]: v.literal(true) });

/** A value, or null if the person cannot tell it. */
const label = v.pipe(
  v.unknown(),
  // Null in a request is no value.
  v.transform((input) => (input === cannotTell || v.is(cannotTellInput, input) ? null : (input ?? undefined))),
  v.nullable(sentScoreValue),
  documentedBySchema(v.union([sentScoreValue, cannotTellInput])),
);

const labels = v.pipe(
  dictionaryOf(label),
  v.check((values) => Object.keys(values).length > 0, "Send a label of at least one metric"),
  v.description('Values by metric, each on its scale, or `{"cannot_tell": true}`; also `cannot_tell` alone.'),
);

const note = v.nullish(v.pipe(text(4_000), v.description("Note, which becomes the reason of the scores.")));

const labelInput = v.pipe(
  closedObject({ labels, note }),
  v.title("LabelInput"),
  requestExamples([{ labels: { task_completion: 1, helpful: { cannot_tell: true } }, note: "The refund was made." }]),
);

/** Schema of somebody's labels of an item in an upload. */
export const uploadedLabel = v.pipe(
  closedObject({
    item_id: v.nullish(uuid),
    trace_id: v.nullish(uuid),
    labeller: v.pipe(text(255, 1), v.description("Name of the person who labelled, as the sender knows it.")),
    labels,
    note,
  }),
  v.check(({ item_id: item, trace_id: id }) => (item == null) !== (id == null), "Send item_id or trace_id"),
  v.title("UploadedLabel"),
);

const uploadInput = v.pipe(
  closedObject({ items: listOf(uploadedLabel, maxLabelItems * maxLabelsPerItem, 1) }),
  v.title("LabelUpload"),
  requestExamples([
    {
      items: [
        { trace_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01", labeller: "Ada", labels: { task_completion: "1.0" } },
      ],
    },
  ]),
);

const itemLabels = v.pipe(
  v.object({
    labeller: v.pipe(
      v.object({ type: oneOf(labellerTypes), id: v.string() }),
      v.description("Id of the user or the API key; of UPLOAD the name that the upload gives."),
    ),
    values: v.pipe(v.record(v.string(), v.string()), v.description("Values by metric.")),
    cannot_tell: v.pipe(v.array(v.string()), v.description("Metrics that the person could not tell.")),
    note: v.nullable(v.string()),
    created_at: replyInstant,
  }),
  v.title("PersonLabels"),
);

const itemFields = { id: uuid, trace_id: uuid, version: integer };

const item = v.pipe(
  v.object({
    ...itemFields,
    is_stale: v.pipe(v.boolean(), v.description("True if the content of the trace changed since it was drawn.")),
    is_deleted: v.boolean(),
    labels: v.array(itemLabels),
  }),
  v.title("LabelItem"),
);

const labelledItem = v.pipe(v.object({ ...itemFields, own_labels: itemLabels }), v.title("LabelledItem"));

const queuePlace = v.pipe(
  v.object({
    item: v.nullable(
      v.object({
        ...itemFields,
        leased_until: replyInstant,
        done_count: v.pipe(integer, v.description("People who have labelled the item.")),
        own_labels: v.nullable(itemLabels),
      }),
    ),
    reason: v.pipe(
      v.nullable(oneOf(["done", "all_leased"])),
      v.description("Why there is no item: the caller has labelled all, or others hold what is left."),
    ),
    trace: v.pipe(v.nullable(trace), v.description("The trace as it is now, without scores.")),
    set: v.object({
      item_count: integer,
      labelled_count: integer,
      label_count: integer,
      passed_over_count: integer,
      own_count: v.pipe(integer, v.description("Items that the caller has labelled.")),
      labels_per_item: integer,
      status: oneOf(labelSetStatuses),
    }),
  }),
  v.title("LabelQueuePlace"),
);

const stored = v.pipe(v.object({ stored: integer }), v.title("StoredLabels"));

export type LabelInput = v.InferOutput<typeof labelInput>;
export type LabelItemReply = v.InferOutput<typeof item>;
export type PersonLabelsReply = v.InferOutput<typeof itemLabels>;

const conflict = "The set is closed, or the item is not the caller's.";

export const takeNextLabelItem = route({
  id: "takeNextLabelItem",
  answeredBy: createLabelSet.id,
  method: "POST",
  idempotency: "none",
  path: "/evaluations/label-sets/{set_id}/next",
  handler: createLabelSet.handler,
  summary: "Take the next item",
  description:
    "Leases an item to the caller for ten minutes, and returns its trace without scores. Who holds one gets the same again; nobody gets one " +
    "that they have labelled, nor more people than `labels_per_item` one at once. Items whose trace was deleted, or changed since it was drawn, are passed over.",
  access: "project",
  permission: "label",
  params: labelSetParams,
  refusesBody: true,
  success: 200,
  reply: queuePlace,
  conflict,
  grants: createLabelSet.grants,
});

export const putLabels = route({
  id: "putLabels",
  answeredBy: createLabelSet.id,
  method: "PUT",
  path: "/evaluations/label-sets/{set_id}/items/{item_id}",
  handler: createLabelSet.handler,
  summary: "Label an item",
  description:
    "Stores the caller's labels of an item that they hold, or replaces theirs. After the end of the lease they count as long as the item has a place left.",
  access: "project",
  permission: "label",
  params: v.object({ ...labelSetParams.entries, item_id: uuid }),
  body: labelInput,
  hasContent: true,
  success: 200,
  reply: labelledItem,
  conflict,
  grants: createLabelSet.grants,
});

export const listLabelItems = route({
  id: "listLabelItems",
  answeredBy: listLabelSets.id,
  method: "GET",
  path: "/evaluations/label-sets/{set_id}/items",
  handler: listLabelSets.handler,
  summary: "List items with their labels",
  description:
    "Returns the items in the order of the draw with all labels; by `Accept` as NDJSON or CSV, with a line for each person's labels of an item, as " +
    "they can be sent again. `cell` selects the items of a cell of the last trust result of `metric` and `judge`.",
  access: "project",
  permission: "read",
  params: labelSetParams,
  query: v.object({
    ...paging,
    limit: pageLimit(maxLabelItems, 50),
    cell: v.optional(singleValue(oneOf(cells))),
    metric: v.optional(singleValue(text(1024, 1))),
    judge: v.optional(singleValue(text(1024, 1))),
  }),
  hasLines: true,
  success: 200,
  reply: page(item),
  grants: listLabelSets.grants,
  budget: { lookups: 10_000 },
});

export const uploadLabels = route({
  id: "uploadLabels",
  answeredBy: createLabelSet.id,
  method: "POST",
  idempotency: "replay",
  path: "/evaluations/label-sets/{set_id}/labels",
  handler: createLabelSet.handler,
  summary: "Upload labels",
  description:
    "Stores labels of people who have no account, each with the labeller's name, under which sending them again replaces them. NDJSON has an " +
    "item's labels on each line, CSV the columns `item_id` or `trace_id`, `labeller`, `labels.<metric>` and `note`; their errors name the line. " +
    "If one is refused, none is stored. Labels of signed-in people, as the export of the set has them, are there already and not stored again.",
  access: "project",
  permission: "write",
  params: labelSetParams,
  body: uploadInput,
  hasContent: true,
  hasLines: true,
  lineColumns: labelColumns,
  success: 200,
  reply: stored,
  conflict: "The set is closed.",
  grants: createLabelSet.grants,
  budget: { writeUnits: 150_000, lookups: 30_000 },
});
