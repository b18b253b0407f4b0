import { hash } from "node:crypto";
import type { Instant } from "../../domain/instant.ts";

/** Partition of a project's datasets. */
const datasetsPartition = (project: string): string => `${project}#datasets`;

/** Partition of the items of a dataset. */
export const itemsPartition = (project: string, dataset: string): string => `${project}#dataset#${dataset}`;

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

/** Query for the datasets of a project. */
export const datasetsOf = (project: string) => ({ pk: datasetsPartition(project), prefix: datasetPrefix });

const entryPrefix = "entry#";

/** Key of an item's entry: its revisions. Writing the entry is the commit of a revision. */
export const entryKey = (project: string, dataset: string, item: string) => ({
  pk: itemsPartition(project, dataset),
  sk: entryPrefix + item,
});

/** Query for the entries of a dataset. */
export const entriesOf = (project: string, dataset: string) => ({
  pk: itemsPartition(project, dataset),
  prefix: entryPrefix,
});

/** Key of one revision of an item. */
export const revisionKey = (project: string, dataset: string, item: string, revisedAt: Instant) => ({
  pk: itemsPartition(project, dataset),
  sk: `item#${item}#${revisedAt}`,
});
