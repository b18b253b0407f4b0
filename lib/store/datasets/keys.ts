import { hash } from "node:crypto";
import type { Instant } from "../../domain/instant.ts";

/** Partition of a project's datasets. */
const datasetsPartition = (project: string): string => `${project}#datasets`;

/** Partitions of a dataset's items: DynamoDB writes 1,000 units a second to one, and a request with 10,000 items needs 40,000. */
const partitionCount = 4;

const itemPartition = (project: string, dataset: string, shard: number): string =>
  `${project}#dataset#${dataset}#${shard}`;

/** Returns the partition of an item, by the first digit of its UUID. */
const partitionOf = (project: string, dataset: string, item: string): string =>
  itemPartition(project, dataset, Number.parseInt(item.slice(0, 1), 16) % partitionCount);

/** Partitions of the items of a dataset. */
export const itemPartitions = (project: string, dataset: string): readonly string[] =>
  Array.from({ length: partitionCount }, (_, shard) => itemPartition(project, dataset, shard));

const datasetPrefix = "dataset#";

export const datasetKey = (project: string, dataset: string) => ({
  pk: datasetsPartition(project),
  sk: datasetPrefix + dataset,
});

/** Key of the item that a name leads to, which makes names unique; by a hash, since a sort key has at most 1,024 bytes. */
export const datasetNameKey = (project: string, name: string) => ({
  pk: datasetsPartition(project),
  sk: `name#${hash("sha256", name, "base64url")}`,
});

/** Key of the number of a project's datasets. */
export const datasetCountKey = (project: string) => ({ pk: datasetsPartition(project), sk: "count" });

/** Returns the id in the key of a dataset. */
export const datasetOfKey = ({ sk }: { readonly sk?: unknown }): string => String(sk).slice(datasetPrefix.length);

/** Query for the datasets of a project. */
export const datasetsOf = (project: string) => ({ pk: datasetsPartition(project), prefix: datasetPrefix });

const entryPrefix = "entry#";

/** Key of an item's entry: its revisions. Writing the entry is the commit of a revision. */
export const entryKey = (project: string, dataset: string, item: string) => ({
  pk: partitionOf(project, dataset, item),
  sk: entryPrefix + item,
});

/** Queries for the entries of a dataset. */
export const entryQueries = (project: string, dataset: string) =>
  itemPartitions(project, dataset).map((pk) => ({ pk, prefix: entryPrefix }));

const placesPartition = (project: string, shard: number): string => `${project}#dataset-items#${shard}`;

const placesPartitionOf = (project: string, item: string): string =>
  placesPartition(project, Number.parseInt(item.slice(0, 1), 16));

/** Partitions of the places of a project's items: DynamoDB writes 1,000 units a second to one. */
export const placesPartitions = (project: string): readonly string[] =>
  Array.from({ length: 16 }, (_, shard) => placesPartition(project, shard));

/** Key of the place of an item: a dataset with the id. By it Langfuse's SDKs, which name no dataset, find the item. */
export const placeKey = (project: string, item: string, dataset: string) => ({
  pk: placesPartitionOf(project, item),
  sk: `${item}#${dataset}`,
});

/** Query for the places of an item. */
export const placesWith = (project: string, item: string) => ({
  pk: placesPartitionOf(project, item),
  prefix: `${item}#`,
});

/** Returns the keys of the places of the entries among the keys of a dataset's items. */
export const itemPlaces = (project: string, dataset: string, keys: readonly { readonly sk?: unknown }[]) =>
  keys
    .map(({ sk }) => String(sk))
    .filter((sk) => sk.startsWith(entryPrefix))
    .map((sk) => placeKey(project, sk.slice(entryPrefix.length), dataset));

const revisionPrefix = "item#";

/** Key of one revision of an item. */
export const revisionKey = (project: string, dataset: string, item: string, revisedAt: Instant) => ({
  pk: partitionOf(project, dataset, item),
  sk: `${revisionPrefix}${item}#${revisedAt}`,
});

/** Query for the revisions in a partition of items. @param after sort key of one, after which the query begins; empty for all. */
export const revisionQuery = (pk: string, after: string) => ({
  where: "pk = :pk AND sk BETWEEN :after AND :end",
  // "$" sorts after the "#" that ends the prefix.
  values: { ":pk": pk, ":after": `${after || revisionPrefix}\u0000`, ":end": "item$" },
});
