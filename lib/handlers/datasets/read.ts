import { lineTypes } from "../../contract/datasets/line-types.ts";
import type { listDatasetItems } from "../../contract/datasets/items.ts";
import { maxItems, type Dataset, type ItemRevision } from "../../domain/datasets/dataset.ts";
import { notFound } from "../../domain/refusal.ts";
import type { Database } from "../../dynamo/database.ts";
import { acceptedType } from "../../http/accepted-type.ts";
import { itemTexts } from "../../http/datasets/item-text.ts";
import { replyBytes, escapedBytes, fittingPage } from "../../http/fitting-page.ts";
import { datasetItemReply, datasetReply } from "../../http/datasets/reply.ts";
import { FixedText } from "../../http/documents/fixed-text.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { nextLink, pagedReply, sortedReply, type Paging } from "../../http/paging.ts";
import { revisionAt, type ItemEntry } from "../../store/datasets/codec.ts";
import { datasetStore } from "../../store/datasets/datasets.ts";
import { itemStore } from "../../store/datasets/items.ts";

/** Returns the functions that answer requests about datasets and their items; all @throws Refusal `not-found`. */
export const datasetReader = (database: Database) => {
  const [datasets, items] = [datasetStore(database), itemStore(database)];

  const dataset = async (project: string, id: string): Promise<Dataset> => {
    const stored = await datasets.get(project, id);
    if (stored === null) throw notFound(`Dataset ${id} not found.`);
    return stored;
  };

  /** @param line returns the text of an item in the reply. */
  const itemPage = async (project: string, datasetId: string, paging: Paging, line: (item: ItemRevision) => string) => {
    await dataset(project, datasetId);
    const entries = await items.entries(project, datasetId);
    const positionOf = ({ order, id }: ItemEntry) => ({ key: order, id });
    const requested = pagedReply(paging, entries, positionOf, "asc");
    const listed = fittingPage(paging, requested, ({ bytes }) => bytes, positionOf);
    const revisions = listed.items.map((entry) => ({ id: entry.id, revisedAt: revisionAt(entry) ?? "" }));
    const read = new Map((await items.read(project, datasetId, revisions)).map((item) => [item.id, item]));
    const pairs = listed.items.flatMap((entry) => {
      const item = read.get(entry.id);
      return item === undefined ? [] : [{ entry, item }];
    });
    const lineBytes = ({ item }: (typeof pairs)[number]) => escapedBytes(line(item));
    const page = fittingPage(paging, { ...listed, items: pairs }, lineBytes, ({ entry }) => positionOf(entry));
    return { ...page, items: page.items.map(({ item }) => item) };
  };

  return {
    dataset,

    datasetPage: async (project: string, name: string | undefined, paging: Paging) => {
      const named = name === undefined ? null : await datasets.named(project, name);
      const listed = name === undefined ? await datasets.list(project) : named === null ? [] : [named];
      const page = sortedReply(paging, listed, ({ createdAt, id }) => ({ key: createdAt, id }));
      const replies = { ...page, items: page.items.map(datasetReply) };
      return fittingPage(paging, replies, replyBytes, ({ created_at: key, id }) => ({ key, id }));
    },

    listItems: async ({ params, project, paging, event }: HandlerRequest<typeof listDatasetItems>) => {
      const type = acceptedType(event, lineTypes);
      if (type === null) {
        const reply = (item: ItemRevision) => datasetItemReply(params.dataset_id, item);
        const page = await itemPage(project.id, params.dataset_id, paging, (item) => JSON.stringify(reply(item)));
        return { ...page, items: page.items.map(reply) };
      }
      const hasLimit = event.multiValueQueryStringParameters?.["limit"] !== undefined;
      const { begin, line } = itemTexts[type];
      const request = hasLimit ? paging : { ...paging, limit: maxItems };
      const { items: revisions, next_cursor: cursor } = await itemPage(project.id, params.dataset_id, request, line);
      const link = cursor === null ? {} : nextLink(event, cursor);
      return new FixedText(begin + revisions.map(line).join(""), { "Content-Type": type, ...link });
    },

    item: async (project: string, datasetId: string, id: string): Promise<ItemRevision> => {
      await dataset(project, datasetId);
      const revision = await items.get(project, datasetId, id);
      if (revision === null) throw notFound(`Item ${id} not found in dataset ${datasetId}.`);
      return revision;
    },
  };
};
