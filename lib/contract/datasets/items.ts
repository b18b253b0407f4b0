import * as v from "valibot";
import { itemColumns } from "../../domain/datasets/columns.ts";
import { maxItemBytes, maxItems } from "../../domain/datasets/dataset.ts";
import { itemOfOutputItem, outputItemKind } from "../../domain/datasets/imported/eval-item.ts";
import { promptfooItems } from "../../domain/datasets/imported/promptfoo.ts";
import type { JsonObject } from "../../domain/json.ts";
import { route } from "../route.ts";
import { closedObject } from "../schema/closed-object.ts";
import { externalId, json, jsonObject, listOf, page, pageLimit, paging, replyInstant, uuid } from "../schema/fields.ts";
import { documentedBySchema } from "../schema/json-schema.ts";
import { requestExamples } from "../schema/resource.ts";
import { createDataset, datasetParams, listDatasets } from "./datasets.ts";

/** Path parameters of an item: any text that its sender calls it. */
const itemParams = v.object({ ...datasetParams.entries, item_id: externalId });

const source = v.pipe(
  closedObject({ trace_id: uuid, span_id: v.nullish(uuid) }),
  v.description("The trace, or the span of it, from which the item is made."),
);

const content = {
  input: v.pipe(v.optional(json), v.description("What the agent is asked; by default the input of the source.")),
  expected_output: v.pipe(
    v.optional(json),
    v.description("The answer that is expected; null or an empty text for none, by default the output of the source."),
  ),
  metadata: v.optional(jsonObject),
};

const outputItem = v.custom<JsonObject>((value) => Object(value).object === outputItemKind);

const plainItem = v.pipe(
  closedObject({
    id: v.pipe(
      v.nullish(externalId),
      v.description("Any text; a UUID of its own if absent. An item with a known id is a new revision of that item."),
    ),
    ...content,
    source: v.nullish(source),
  }),
  v.check(
    ({ input, source: from }) => input !== undefined || (from !== null && from !== undefined),
    "An item has an input or a source",
  ),
);

/** An item, or an output item of OpenAI's Evals, which becomes one. */
const itemInput = v.pipe(
  v.unknown(),
  v.rawTransform(({ dataset: { value }, addIssue, NEVER }) => {
    if (!v.is(outputItem, value)) return value;
    const imported = itemOfOutputItem(value);
    if (imported !== null) return imported;
    addIssue({ message: "The output item has no fields in datasource_item" });
    return NEVER;
  }),
  plainItem,
  documentedBySchema(plainItem),
  v.title("DatasetItemInput"),
);

const itemsInput = v.pipe(
  closedObject({
    items: v.optional(listOf(itemInput, maxItems, 1)),
    promptfoo: v.pipe(
      v.optional(jsonObject),
      v.description(
        "Instead of `items`: a configuration of promptfoo as JSON, of which each test becomes an item, whose id follows from input and expected output.",
      ),
    ),
  }),
  v.check(
    ({ items, promptfoo }) => (items === undefined) !== (promptfoo === undefined),
    () => "Send items or promptfoo",
  ),
  v.rawTransform(({ dataset: { value }, addIssue, NEVER }): { items: v.InferOutput<typeof plainItem>[] } => {
    const { items = [], promptfoo } = value;
    if (promptfoo === undefined) return { items };
    const imported = promptfooItems(promptfoo);
    const place = (key: string | number) =>
      ({ type: "unknown", origin: "value", input: promptfoo, key, value: null }) as const;
    for (const { path, message } of imported.flaws)
      addIssue({ message, path: [place("promptfoo"), ...path.map(place)] });
    return imported.flaws.length === 0 ? { items: [...imported.items] } : NEVER;
  }),
  v.title("DatasetItemsInput"),
  requestExamples([
    {
      items: [
        { id: "order-1042", input: { question: "Where is my order 1042?" }, expected_output: "It was sent on Monday." },
        { source: { trace_id: "0193e3f2-5b1c-7000-8000-0123456789ab" } },
      ],
    },
  ]),
);

export type DatasetItemsInput = v.InferOutput<typeof itemsInput>;

const itemUpdate = v.pipe(
  closedObject(content),
  v.title("DatasetItemUpdate"),
  v.description("Changes to an item, which make a new revision; absent fields keep their values."),
  requestExamples([{ expected_output: "It was sent on Tuesday." }]),
);

const item = v.pipe(
  v.object({
    id: uuid,
    external_id: v.nullable(v.string()),
    dataset_id: uuid,
    input: json,
    expected_output: json,
    metadata: jsonObject,
    source: v.nullable(v.object({ trace_id: uuid, span_id: v.nullable(uuid) })),
    created_at: replyInstant,
    revised_at: v.pipe(replyInstant, v.description("Instant from which this revision counts.")),
  }),
  v.title("DatasetItem"),
  v.examples([
    {
      id: "2f1e6d5c-4b3a-5c2d-8e1f-0a9b8c7d6e5f",
      external_id: "order-1042",
      dataset_id: "c6b1f0a2-7d3e-4f58-9a41-2e8d5c7b6f10",
      input: { question: "Where is my order 1042?" },
      expected_output: "It was sent on Monday.",
      metadata: {},
      source: null,
      created_at: "2026-11-21T09:00:04.000000+00:00",
      revised_at: "2026-11-21T09:00:04.000000+00:00",
    },
  ]),
);

export type DatasetItemReply = v.InferOutput<typeof item>;

const storedItems = v.pipe(
  v.object({ items: v.array(v.object({ id: uuid, revised_at: replyInstant })) }),
  v.title("StoredDatasetItems"),
  v.description("The items of the request in its order, each with the instant of its newest revision."),
);

export const createDatasetItems = route({
  id: "createDatasetItems",
  answeredBy: createDataset.id,
  method: "POST",
  idempotency: "replay",
  path: "/datasets/{dataset_id}/items",
  handler: createDataset.handler,
  summary: "Add items to a dataset",
  description:
    `Stores items, or new revisions of known ones; an equal one changes nothing, so that a request can be repeated. A dataset can have ${maxItems} ` +
    `items of ${maxItemBytes / 1024} KB each. NDJSON has an item on each line, CSV the columns \`id\`, \`input\`, \`expected_output\`, \`metadata\` ` +
    "or `metadata.<key>`, and `source`; their errors name the line. An item may be an output item of OpenAI's Evals.",
  access: "project",
  permission: "write",
  params: datasetParams,
  body: itemsInput,
  hasContent: true,
  hasLines: true,
  lineColumns: itemColumns,
  success: 201,
  reply: storedItems,
  grants: createDataset.grants,
  // 10,000 items with 32 MiB: in a transaction an entry, a place and each KB of content take two units.
  budget: { writeUnits: 150_000 },
});

export const listDatasetItems = route({
  id: "listDatasetItems",
  answeredBy: listDatasets.id,
  method: "GET",
  path: "/datasets/{dataset_id}/items",
  handler: listDatasets.handler,
  summary: "List items of a dataset",
  description:
    "Returns the items in the order in which they were added; by `Accept` as NDJSON or CSV, as they can be sent again, and without `limit` " +
    "as many as fit. A page ends early at 5 MB; `Link` and `next_cursor` lead on.",
  access: "project",
  permission: "read",
  params: datasetParams,
  query: v.object({ ...paging, limit: pageLimit(maxItems, 50) }),
  hasLines: true,
  success: 200,
  reply: page(item),
  grants: listDatasets.grants,
});

export const getDatasetItem = route({
  id: "getDatasetItem",
  answeredBy: listDatasets.id,
  method: "GET",
  path: "/datasets/{dataset_id}/items/{item_id}",
  handler: listDatasets.handler,
  summary: "Get an item of a dataset",
  access: "project",
  permission: "read",
  params: itemParams,
  success: 200,
  reply: item,
  grants: listDatasets.grants,
});

export const updateDatasetItem = route({
  id: "updateDatasetItem",
  answeredBy: createDataset.id,
  method: "PATCH",
  path: "/datasets/{dataset_id}/items/{item_id}",
  handler: createDataset.handler,
  summary: "Update an item of a dataset",
  description: "Stores a new revision of the item; earlier ones stay, for the experiments that they belong to.",
  access: "project",
  permission: "write",
  params: itemParams,
  body: itemUpdate,
  hasContent: true,
  success: 200,
  reply: item,
  grants: createDataset.grants,
});

export const deleteDatasetItem = route({
  id: "deleteDatasetItem",
  answeredBy: createDataset.id,
  method: "DELETE",
  path: "/datasets/{dataset_id}/items/{item_id}",
  handler: createDataset.handler,
  summary: "Delete an item of a dataset",
  description: "Removes the item from now on; its earlier revisions stay, for the experiments that they belong to.",
  access: "project",
  permission: "write",
  params: itemParams,
  success: 204,
  reply: v.void(),
  grants: createDataset.grants,
});
