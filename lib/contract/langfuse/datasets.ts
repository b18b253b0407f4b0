import * as v from "valibot";
import { route } from "../route.ts";
import {
  instant,
  integer,
  json,
  jsonObject,
  labelled,
  oneOf,
  pageLimit,
  replyInstant,
  singleValue,
  text,
} from "../schema/fields.ts";
import { plainText } from "../schema/plain-text.ts";
import { datasetFields } from "../../domain/datasets/fields.ts";
import { createDataset, listDatasets } from "../datasets/datasets.ts";
import { createLangfuseScores, langfuseId } from "./scores.ts";

const name = plainText(datasetFields.name.max);
const status = oneOf(["ACTIVE", "ARCHIVED"]);
const itemId = labelled(text(255, 1));
const unsupported = v.nullish(
  v.pipe(
    jsonObject,
    v.check(() => false, "Schemas of items are not supported"),
  ),
);
/** Null is the same as an absent field, as in Langfuse. */
const value = v.nullish(json);
const values = { input: value, expectedOutput: value, metadata: value };
const sources = { sourceTraceId: langfuseId, sourceObservationId: langfuseId };

const datasetInput = v.pipe(
  v.looseObject({
    name,
    description: v.nullish(text(datasetFields.description.max)),
    metadata: value,
    inputSchema: unsupported,
    expectedOutputSchema: unsupported,
  }),
  v.title("LangfuseDatasetInput"),
  v.examples([{ name: "refunds", description: "Questions about refunds." }]),
);

const itemInput = v.pipe(
  v.looseObject({ datasetName: name, id: v.nullish(itemId), ...values, ...sources, status: v.nullish(status) }),
  v.title("LangfuseDatasetItemInput"),
  v.examples([{ datasetName: "refunds", id: "order-1042", input: "Where is it?", expectedOutput: "On its way." }]),
);

const runItemInput = v.pipe(
  v.looseObject({
    runName: text(1024, 1),
    runDescription: v.nullish(v.string()),
    metadata: value,
    datasetItemId: itemId,
    datasetVersion: v.nullish(instant),
    createdAt: v.nullish(instant),
    traceId: langfuseId,
    observationId: langfuseId,
  }),
  v.title("LangfuseDatasetRunItemInput"),
  v.examples([{ runName: "release 2", datasetItemId: "order-1042", traceId: "5b8efff798038103d269b633813fc60c" }]),
);

const [id, idOrNull] = [v.string(), v.nullable(v.string())];
const times = { createdAt: replyInstant, updatedAt: replyInstant };
const noSchema = v.pipe(v.nullable(jsonObject), v.description("Always null: schemas of items are not supported."));
const noSchemas = { inputSchema: noSchema, expectedOutputSchema: noSchema };
const content = { input: json, expectedOutput: json, metadata: json };
const source = { sourceTraceId: idOrNull, sourceObservationId: idOrNull };
const run = { datasetRunId: id, datasetRunName: v.string(), datasetItemId: id };
const noMedia = v.pipe(v.array(json), v.description("Always empty: media are not stored."));

const dataset = v.pipe(
  v.object({ id, name, description: v.nullable(v.string()), metadata: json, ...noSchemas, projectId: id, ...times }),
  v.title("LangfuseDataset"),
  v.examples([
    {
      id: "c6b1f0a2-7d3e-4f58-9a41-2e8d5c7b6f10",
      name: "refunds",
      description: "Questions about refunds.",
      metadata: {},
      inputSchema: null,
      expectedOutputSchema: null,
      projectId: "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11",
      createdAt: "2026-11-21T09:00:04.000000+00:00",
      updatedAt: "2026-11-21T09:00:04.000000+00:00",
    },
  ]),
);

const place = { datasetId: id, datasetName: name, ...times, version: replyInstant };

const item = v.pipe(
  v.object({ id, status, ...content, ...source, ...place, mediaReferences: noMedia }),
  v.title("LangfuseDatasetItem"),
  v.examples([
    {
      id: "order-1042",
      status: "ACTIVE",
      input: "Where is it?",
      expectedOutput: "On its way.",
      metadata: {},
      sourceTraceId: null,
      sourceObservationId: null,
      datasetId: "c6b1f0a2-7d3e-4f58-9a41-2e8d5c7b6f10",
      datasetName: "refunds",
      createdAt: "2026-11-21T09:00:04.000000+00:00",
      updatedAt: "2026-11-21T09:00:04.000000+00:00",
      version: "2026-11-21T09:00:04.000000+00:00",
      mediaReferences: [],
    },
  ]),
);

export type LangfuseDatasetItem = v.InferOutput<typeof item>;

const runItem = v.pipe(
  v.object({ id, ...run, traceId: id, observationId: idOrNull, ...times }),
  v.title("LangfuseDatasetRunItem"),
);

const pageOf = <Item extends v.GenericSchema>(each: Item, title: string) => {
  const meta = v.object({ page: integer, limit: integer, totalItems: integer, totalPages: integer });
  return v.pipe(v.object({ data: v.array(each), meta }), v.title(title));
};

/** Langfuse counts pages from 1. */
const pages = { page: pageLimit(1_000_000, 1), limit: pageLimit(100, 50) };

const reads = {
  answeredBy: listDatasets.id,
  handler: listDatasets.handler,
  method: "GET",
  access: "project",
  permission: "read",
  success: 200,
  grants: listDatasets.grants,
} as const;

export const listLangfuseDatasets = route({
  ...reads,
  id: "listLangfuseDatasets",
  path: "/api/public/v2/datasets",
  summary: "List datasets for Langfuse's SDKs",
  description: "A page of more than 5 MB is refused with 413: ask for smaller ones.",
  query: v.object(pages),
  reply: pageOf(dataset, "LangfuseDatasets"),
});

export const getLangfuseDataset = route({
  ...reads,
  id: "getLangfuseDataset",
  path: "/api/public/v2/datasets/{dataset_name}",
  summary: "Get a dataset for Langfuse's SDKs",
  params: v.object({ dataset_name: text(datasetFields.name.max, 1) }),
  reply: dataset,
});

export const listLangfuseDatasetItems = route({
  ...reads,
  id: "listLangfuseDatasetItems",
  path: "/api/public/dataset-items",
  summary: "List dataset items for Langfuse's SDKs",
  description:
    "Returns the items that a dataset has, or had at the instant `version`, in the order in which they were added. A page of more than 5 MB is " +
    "refused with 413: ask for smaller ones (`fetch_items_page_size`, `fetchItemsPageSize`).",
  query: v.object({
    datasetName: singleValue(text(datasetFields.name.max, 1)),
    version: v.optional(singleValue(instant)),
    ...pages,
  }),
  reply: pageOf(item, "LangfuseDatasetItems"),
});

const writes = {
  method: "POST",
  access: "project",
  permission: "write",
  idempotency: "replay-by-header",
  success: 200,
} as const;

const ofWriter = {
  ...writes,
  answeredBy: createDataset.id,
  handler: createDataset.handler,
  grants: createDataset.grants,
  memory: 1024,
} as const;

export const createLangfuseDataset = route({
  ...ofWriter,
  id: "createLangfuseDataset",
  path: "/api/public/v2/datasets",
  summary: "Create a dataset from Langfuse's SDKs",
  description: "A dataset with a known name is changed: fields that are absent or null keep their values.",
  body: datasetInput,
  reply: dataset,
});

export const createLangfuseDatasetItem = route({
  ...ofWriter,
  id: "createLangfuseDatasetItem",
  path: "/api/public/dataset-items",
  summary: "Create dataset items from Langfuse's SDKs",
  description:
    "An item with a known `id` is changed, by a new revision: fields that are absent or null keep their values. An `id` of an item in another " +
    "dataset gives 404, as in Langfuse. `status: ARCHIVED` deletes the item, whose earlier revisions stay; to have it again send it whole.",
  body: itemInput,
  reply: item,
});

export const createLangfuseDatasetRunItem = route({
  ...writes,
  answeredBy: createLangfuseScores.id,
  handler: createLangfuseScores.handler,
  id: "createLangfuseDatasetRunItem",
  path: "/api/public/dataset-run-items",
  summary: "Link traces to items from Langfuse's SDKs",
  description:
    "Says that a trace ran an item in the experiment of that name: the same one, `datasetRunId`, that spans with `langfuse.experiment.id` name. " +
    "The trace may arrive before or after; linked to several, it has the last one. Metadata of the trace have the other fields, under `langfuse.`.",
  conflict: "Several datasets have an item with the id.",
  body: runItemInput,
  reply: runItem,
  grants: createLangfuseScores.grants,
});
