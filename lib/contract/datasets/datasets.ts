import * as v from "valibot";
import { maxDatasets } from "../../domain/datasets/dataset.ts";
import { datasetFields } from "../../domain/datasets/fields.ts";
import { route } from "../route.ts";
import { closedObject } from "../schema/closed-object.ts";
import { integer, page, paging, replyInstant, singleValue, text, uuid } from "../schema/fields.ts";
import { requestExamples, resourceSchemas } from "../schema/resource.ts";

/** Path parameter of a dataset. */
export const datasetParams = v.object({ dataset_id: uuid });

const resource = resourceSchemas(datasetFields, {
  name: "Name of the dataset, unique in its project.",
  description: "",
  metadata: "",
});

const datasetInput = v.pipe(
  closedObject(resource.input),
  v.title("DatasetInput"),
  requestExamples([{ name: "refunds", description: "Questions about refunds, with the answers of the support team." }]),
);

const datasetUpdate = v.pipe(
  closedObject(resource.update),
  v.title("DatasetUpdate"),
  v.description("Changes to a dataset; absent fields keep their values, and null clears `description` and `metadata`."),
  requestExamples([{ description: null }]),
);

const dataset = v.pipe(
  v.object({
    id: uuid,
    project_id: uuid,
    ...resource.reply,
    item_count: integer,
    approved_experiment_id: v.pipe(
      v.nullable(uuid),
      v.description("Experiment that gates compare with as `approved`; null while there is none."),
    ),
    created_at: replyInstant,
    updated_at: replyInstant,
  }),
  v.title("Dataset"),
  v.description("Inputs of an agent with the answers that are expected."),
  v.examples([
    {
      id: "c6b1f0a2-7d3e-4f58-9a41-2e8d5c7b6f10",
      project_id: "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11",
      name: "refunds",
      description: "Questions about refunds, with the answers of the support team.",
      metadata: {},
      item_count: 120,
      approved_experiment_id: null,
      created_at: "2026-11-21T09:00:04.000000+00:00",
      updated_at: "2026-11-21T09:00:04.000000+00:00",
    },
  ]),
);

export type DatasetReply = v.InferOutput<typeof dataset>;

const conflict = "Another dataset of the project has the name.";

export const listDatasets = route({
  id: "listDatasets",
  method: "GET",
  path: "/datasets",
  handler: "api/datasets/read-datasets",
  summary: "List datasets",
  description: "Returns the datasets of the project, newest first.",
  access: "project",
  permission: "read",
  query: v.object({ name: v.optional(singleValue(text(512, 1))), ...paging }),
  success: 200,
  reply: page(dataset),
  // Those of experiments and gates too, which its function answers: an account has room for 1,000 roles.
  grants: {
    monitors: ["GetItem", "BatchGetItem", "Query"],
    aggregates: ["GetItem", "BatchGetItem", "Query"],
    rows: ["Query"],
    scores: ["Query", "BatchGetItem"],
    runs: ["Query", "BatchGetItem"],
  },
  memory: 1024,
});

export const createDataset = route({
  id: "createDataset",
  method: "POST",
  idempotency: "derived-id",
  path: "/datasets",
  handler: "api/datasets/write-datasets",
  summary: "Create a dataset",
  description: `A project can have ${maxDatasets} datasets; beyond that the reply is 403.`,
  access: "project",
  permission: "write",
  body: datasetInput,
  success: 201,
  conflict,
  reply: dataset,
  grants: {
    monitors: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"],
    rows: ["GetItem"],
    bodies: ["GetItem", "Query"],
    // Experiments that are to be approved.
    aggregates: ["GetItem", "BatchGetItem", "Query"],
  },
  memory: 1024,
});

export const getDataset = route({
  id: "getDataset",
  answeredBy: listDatasets.id,
  method: "GET",
  path: "/datasets/{dataset_id}",
  handler: listDatasets.handler,
  summary: "Get a dataset",
  access: "project",
  permission: "read",
  params: datasetParams,
  success: 200,
  reply: dataset,
  grants: listDatasets.grants,
});

export const updateDataset = route({
  id: "updateDataset",
  answeredBy: createDataset.id,
  method: "PATCH",
  path: "/datasets/{dataset_id}",
  handler: createDataset.handler,
  summary: "Update a dataset",
  description:
    "Traces that name the dataset by its earlier name no longer find it, nor the expected output of their items; those that name its id do.",
  access: "project",
  permission: "write",
  params: datasetParams,
  body: datasetUpdate,
  success: 200,
  conflict,
  reply: dataset,
  grants: createDataset.grants,
});

export const deleteDataset = route({
  id: "deleteDataset",
  answeredBy: createDataset.id,
  method: "DELETE",
  path: "/datasets/{dataset_id}",
  handler: createDataset.handler,
  summary: "Delete a dataset",
  description:
    "Deletes the dataset with all revisions of its items, and keeps traces. After an error send the request again: it goes on where it ended.",
  access: "project",
  permission: "write",
  params: datasetParams,
  success: 204,
  reply: v.void(),
  grants: createDataset.grants,
  // More than a request has time for: the next one goes on.
  budget: { writeUnits: 1_000_000 },
});
