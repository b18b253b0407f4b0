import type {
  getLangfuseDataset,
  listLangfuseDatasetItems,
  listLangfuseDatasets,
} from "../../contract/langfuse/datasets.ts";
import type { Dataset } from "../../domain/datasets/dataset.ts";
import { notFound, Refusal } from "../../domain/refusal.ts";
import type { Database } from "../../dynamo/database.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { replyBytes, maxPageBytes } from "../../http/fitting-page.ts";
import { langfuseDataset, langfuseItem } from "../../langfuse/dataset-form.ts";
import { revisionAt } from "../../store/datasets/codec.ts";
import { datasetStore } from "../../store/datasets/datasets.ts";
import { itemStore } from "../../store/datasets/items.ts";

/** Returns the part of a list that a page has, and what the reply tells of the pages. */
const pageOf = <Each>(all: readonly Each[], { page, limit }: { readonly page: number; readonly limit: number }) => ({
  part: all.slice((page - 1) * limit, page * limit),
  meta: { page, limit, totalItems: all.length, totalPages: Math.ceil(all.length / limit) },
});

/** Returns the data of a page. @throws Refusal `too-large` if the reply has no room for them. */
const fitting = <Each>(data: readonly Each[]): Each[] => {
  if (data.length > 1 && replyBytes(data) > maxPageBytes)
    throw new Refusal({ kind: "too-large", detail: "The page has more than 5 MB: ask for fewer items a page." });
  return [...data];
};

/** Returns the functions that answer requests of Langfuse's SDKs for datasets and items; all @throws Refusal `not-found`. */
export const langfuseDatasetReader = (database: Database) => {
  const [datasets, items] = [datasetStore(database), itemStore(database)];

  const named = async (project: string, name: string): Promise<Dataset> => {
    const dataset = await datasets.named(project, name);
    if (dataset === null) throw notFound(`Dataset ${name} not found.`);
    return dataset;
  };

  return {
    named,

    list: async ({ project, query }: HandlerRequest<typeof listLangfuseDatasets>) => {
      const all = await datasets.list(project.id);
      const { part, meta } = pageOf(
        all.toSorted((a, b) => (a.createdAt > b.createdAt ? -1 : 1)),
        query,
      );
      return { data: fitting(part.map(langfuseDataset)), meta };
    },

    get: async ({ project, params }: HandlerRequest<typeof getLangfuseDataset>) =>
      langfuseDataset(await named(project.id, params.dataset_name)),

    items: async ({ project, query }: HandlerRequest<typeof listLangfuseDatasetItems>) => {
      const dataset = await named(project.id, query.datasetName);
      const entries = await items.entries(project.id, dataset.id, query.version);
      const { part, meta } = pageOf(entries, query);
      const revisions = part.map((entry) => ({ id: entry.id, revisedAt: revisionAt(entry, query.version) ?? "" }));
      const read = await items.read(project.id, dataset.id, revisions);
      return { data: fitting(read.map((item) => langfuseItem(dataset, item))), meta };
    },
  };
};
