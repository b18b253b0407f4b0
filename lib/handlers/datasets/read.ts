import type { Dataset, ItemRevision } from "../../domain/datasets/dataset.ts";
import { notFound } from "../../domain/refusal.ts";
import type { Database } from "../../dynamo/database.ts";
import { datasetItemReply, datasetReply } from "../../http/datasets/reply.ts";
import { pagedReply, type Paging } from "../../http/paging.ts";
import { revisionAt } from "../../store/datasets/codec.ts";
import { datasetStore } from "../../store/datasets/datasets.ts";
import { itemStore } from "../../store/datasets/items.ts";

/** Bytes of the items of a page: a reply of a function has at most 6 MB, in which a character may need escapes. */
const maxPageBytes = 5_000_000;

/** Returns the functions that answer requests about datasets and their items; all @throws Refusal `not-found`. */
export const datasetReader = (database: Database) => {
  const [datasets, items] = [datasetStore(database), itemStore(database)];

  const dataset = async (project: string, id: string): Promise<Dataset> => {
    const found = await datasets.get(project, id);
    if (found === null) throw notFound(`Dataset ${id} not found.`);
    return found;
  };

  return {
    dataset,

    datasetPage: async (project: string, name: string | undefined, paging: Paging) => {
      const named = name === undefined ? null : await datasets.named(project, name);
      const found = name === undefined ? await datasets.list(project) : named === null ? [] : [named];
      const newestFirst = found.toSorted((a, b) => (a.createdAt > b.createdAt ? -1 : 1));
      const page = pagedReply(paging, newestFirst, ({ createdAt, id }) => ({ key: createdAt, id }));
      return { ...page, items: page.items.map(datasetReply) };
    },

    itemPage: async (project: string, datasetId: string, paging: Paging) => {
      await dataset(project, datasetId);
      const entries = await items.entries(project, datasetId);
      const { items: wanted, ...page } = pagedReply(paging, entries, ({ order, id }) => ({ key: order, id }), "asc");
      let bytes = 0;
      const fitting = wanted.filter((entry, at) => (bytes += entry.bytes) <= maxPageBytes || at === 0);
      const last = fitting.at(-1);
      const revisions = fitting.map((entry) => ({ id: entry.id, revisedAt: revisionAt(entry) ?? "" }));
      const read = await items.read(project, datasetId, revisions);
      return {
        ...page,
        items: read.map((item) => datasetItemReply(datasetId, item)),
        next_cursor:
          last === undefined || fitting.length === wanted.length
            ? page.next_cursor
            : paging.cursorAfter(fitting.length, { key: last.order, id: last.id }),
      };
    },

    item: async (project: string, datasetId: string, id: string): Promise<ItemRevision> => {
      await dataset(project, datasetId);
      const found = await items.get(project, datasetId, id);
      if (found === null) throw notFound(`Item ${id} not found in dataset ${datasetId}.`);
      return found;
    },
  };
};
