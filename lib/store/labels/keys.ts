import { hash } from "node:crypto";

const setsPartition = (project: string): string => `${project}#label-sets`;

const setPrefix = "set#";

/** Key of a set with the state of its queue, by which all its writes are ordered. */
export const labelSetKey = (project: string, set: string) => ({ pk: setsPartition(project), sk: setPrefix + set });

/** Key of the number of a project's sets. */
export const labelSetCountKey = (project: string) => ({ pk: setsPartition(project), sk: "count" });

/** Query for the sets of a project. */
export const labelSetsOf = (project: string) => ({ pk: setsPartition(project), prefix: setPrefix });

/** Returns project and id of a set by its key. */
export const placeOfSet = ({ pk, sk }: { readonly pk: string; readonly sk: string }) => ({
  project: pk.slice(0, pk.indexOf("#")),
  set: sk.slice(setPrefix.length),
});

/** Partition of a set's items, labels and trust results. */
export const labelSetPartition = (project: string, set: string): string => `${project}#label-set#${set}`;

/** Items in one stored item: 10 KB, of which one read gives the trace of a place. */
export const chunkSize = 250;

export const chunkKey = (project: string, set: string, chunk: number) => ({
  pk: labelSetPartition(project, set),
  sk: `items#${chunk}`,
});

const placeText = (place: number): string => String(place).padStart(4, "0");

/** Key of the labels of an item by one person. */
export const labelKey = (project: string, set: string, place: number, person: number) => ({
  pk: labelSetPartition(project, set),
  sk: `label#${placeText(place)}#${person}`,
});

/** Query for the labels of the items from one place to below another. */
export const labelsBetween = (project: string, set: string, from: number, to: number) => ({
  pk: labelSetPartition(project, set),
  between: [`label#${placeText(from)}`, `label#${placeText(to)}`] as const,
});

export const placeOfLabel = (sk: string): number => Number(sk.split("#")[1]);

/** Partition of the index of sets that are being closed. */
export const closingSetsPartition = "label-sets";

/** Key of the last trust result of a metric and a judge; by a hash, since a sort key has at most 1,024 bytes. */
export const trustKey = (project: string, set: string, metric: string, judge: string | null) => ({
  pk: labelSetPartition(project, set),
  sk: `trust#${hash("sha256", JSON.stringify([metric, judge]), "base64url")}`,
});
