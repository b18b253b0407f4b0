import { randomUUID } from "node:crypto";
import type { SentItem } from "../../../lib/domain/datasets/dataset.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { datasetStore } from "../../../lib/store/datasets/datasets.ts";
import { itemStore } from "../../../lib/store/datasets/items.ts";
import type { Writer } from "./trace-writers.ts";

const [now, id] = ["2026-10-02T10:00:00+00:00", "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01"];

const itemOf = (input: string, itemId: string = randomUUID()): SentItem => ({
  id: itemId,
  externalId: null,
  input,
  expectedOutput: null,
  metadata: {},
  source: null,
});

const createDataset = async (database: Database, projectId: string): Promise<string> => {
  const settings = { name: randomUUID(), description: null, metadata: {} };
  const fields = { itemCount: 0, approvedExperiment: null, createdAt: now, updatedAt: now };
  return (await datasetStore(database).create({ id: randomUUID(), projectId, settings, ...fields })).id;
};

const datasetWithItem = async (database: Database, project: string): Promise<string> => {
  const dataset = await createDataset(database, project);
  await itemStore(database).put(project, dataset, [itemOf("question", id)]);
  return dataset;
};

/** Write operations on datasets, by name. */
export const datasetWriters: Readonly<Record<string, Writer>> = {
  "a new dataset": async (_, project) => (connection) => createDataset(connection, project),

  "new items": async (database, project) => {
    const dataset = await datasetWithItem(database, project);
    return (connection) => itemStore(connection).put(project, dataset, [itemOf("a"), itemOf("b")]);
  },

  "a change of an item": async (database, project) => {
    const dataset = await datasetWithItem(database, project);
    return (connection) => itemStore(connection).put(project, dataset, [itemOf("changed", id)]);
  },

  "the deletion of an item": async (database, project) => {
    const dataset = await datasetWithItem(database, project);
    return (connection) => itemStore(connection).remove(project, dataset, id);
  },

  "the deletion of a dataset": async (database, project) => {
    const dataset = await datasetWithItem(database, project);
    return (connection) => datasetStore(connection).delete(project, dataset);
  },
};
