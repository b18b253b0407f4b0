import { randomUUID } from "node:crypto";
import { createDataset } from "../../lib/contract/datasets/datasets.ts";
import { createDatasetItems, listDatasetItems } from "../../lib/contract/datasets/items.ts";
import { createLangfuseDataset, createLangfuseDatasetItem } from "../../lib/contract/langfuse/datasets.ts";
import { experimentsByName, sendExperiment } from "./experiments.ts";
import type { Client } from "./service/client.ts";

/** Creates a dataset with a name of its own and returns its id. */
export const newDataset = async (project: Client): Promise<string> =>
  (await project.answer(createDataset, { body: { name: `set ${randomUUID()}` } })).id;

/** Returns the items of the first page of a dataset, or of the page of a query. */
export const itemsOf = async (project: Client, dataset_id: string, query: Readonly<Record<string, number>> = {}) =>
  (await project.answer(listDatasetItems, { params: { dataset_id }, query })).items;

/** Stores a dataset and one of Langfuse, each with an item, and a project's first experiment; returns them by the names of path parameters. */
export const storeDatasetThings = async (project: Client, input: unknown = 1, dataset_name: string = randomUUID()) => {
  const dataset_id = await newDataset(project);
  const items = { params: { dataset_id }, body: { items: [{ id: "one", input }] } };
  const item_id = (await project.answer(createDatasetItems, items)).items[0]?.id ?? "";
  await sendExperiment(project, { "assay.experiment": "x" }, ["one"]);
  const experiment_id = (await experimentsByName(project, 1)).get("x")?.id ?? "";
  await project.answer(createLangfuseDataset, { body: { name: dataset_name } });
  await project.answer(createLangfuseDatasetItem, { body: { datasetName: dataset_name, input } });
  return { dataset_id, item_id, dataset_name, experiment_id };
};
