import type { createDataset, deleteDataset, updateDataset } from "../../contract/datasets/datasets.ts";
import type { createDatasetItems, deleteDatasetItem, updateDatasetItem } from "../../contract/datasets/items.ts";
import { uuidInProject } from "../../domain/access/identity.ts";
import type { SentItem } from "../../domain/datasets/dataset.ts";
import { definedFields } from "../../domain/fields.ts";
import { instantAt } from "../../domain/instant.ts";
import { notFound } from "../../domain/refusal.ts";
import type { Database } from "../../dynamo/database.ts";
import { datasetItemReply, datasetReply } from "../../http/datasets/reply.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { datasetStore } from "../../store/datasets/datasets.ts";
import { itemStore } from "../../store/datasets/items.ts";
import { traceReader } from "../../store/traces/reader.ts";
import { datasetReader } from "./read.ts";
import { sentItems } from "./sent-items.ts";

/** Returns the functions that answer requests which write datasets and their items. */
export const datasetWriter = (database: Database) => {
  const [datasets, items, traces] = [datasetStore(database), itemStore(database), traceReader(database)];
  const reader = datasetReader(database);

  const missing = (id: string) => notFound(`Dataset ${id} not found.`);

  const put = async (project: string, dataset: string, sent: readonly SentItem[]) => {
    const revisions = await items.put(project, dataset, sent);
    if (revisions === null) throw missing(dataset);
    return revisions;
  };

  return {
    create: async ({ body, idFor, project, idempotency }: HandlerRequest<typeof createDataset>) => {
      const now = instantAt(Date.now());
      const dataset = {
        id: idFor("dataset"),
        projectId: project.id,
        itemCount: 0,
        approvedExperiment: null,
        createdAt: now,
        updatedAt: now,
      };
      return datasetReply(await datasets.create({ ...dataset, settings: body }, idempotency));
    },

    update: async ({ body, params, project }: HandlerRequest<typeof updateDataset>) => {
      const changed = await datasets.change(project.id, params.dataset_id, ({ settings, approvedExperiment }) => ({
        settings: { ...settings, ...definedFields(body) },
        approvedExperiment,
      }));
      if (changed === null) throw missing(params.dataset_id);
      return datasetReply(changed);
    },

    remove: async ({ params, project }: HandlerRequest<typeof deleteDataset>) => {
      if (!(await datasets.delete(project.id, params.dataset_id))) throw missing(params.dataset_id);
    },

    addItems: async ({ body, params, project, idFor, itemLines }: HandlerRequest<typeof createDatasetItems>) => {
      await reader.dataset(project.id, params.dataset_id);
      const sent = await sentItems(traces, project.id, body.items, idFor, itemLines);
      const revisions = await put(project.id, params.dataset_id, sent);
      return { items: revisions.map(({ id, revisedAt }) => ({ id, revised_at: revisedAt })) };
    },

    updateItem: async ({ body, params, project }: HandlerRequest<typeof updateDatasetItem>) => {
      const id = uuidInProject(project.id, params.item_id);
      await reader.dataset(project.id, params.dataset_id);
      const item = await items.edit(project.id, params.dataset_id, id, (stored) => {
        if (stored === null) throw notFound(`Item ${params.item_id} not found in dataset ${params.dataset_id}.`);
        const { createdAt: _, revisedAt: __, ...before } = stored;
        const { input = before.input, expected_output: expectedOutput = before.expectedOutput } = body;
        return { ...before, input, expectedOutput, metadata: body.metadata ?? before.metadata };
      });
      if (item === null) throw missing(params.dataset_id);
      return datasetItemReply(params.dataset_id, item);
    },

    removeItem: async ({ params, project }: HandlerRequest<typeof deleteDatasetItem>) => {
      await reader.dataset(project.id, params.dataset_id);
      const id = uuidInProject(project.id, params.item_id);
      if ((await items.remove(project.id, params.dataset_id, id)) !== true)
        throw notFound(`Item ${params.item_id} not found in dataset ${params.dataset_id}.`);
    },
  };
};
