import { deflateRawSync, inflateRawSync } from "node:zlib";
import * as v from "valibot";
import { datasetFields } from "../../domain/datasets/fields.ts";
import type { Dataset, ItemRevision } from "../../domain/datasets/dataset.ts";
import type { Instant } from "../../domain/instant.ts";
import { parseLossless, type Json, type JsonObject } from "../../domain/json.ts";
import { storedForm } from "../../dynamo/stored-form.ts";

const settingsForm = storedForm(datasetFields);

/** Loose schema: properties that a later version of the service added stay with the dataset when it is changed. */
const dataset = v.looseObject({
  id: v.string(),
  projectId: v.string(),
  settings: settingsForm.schema,
  approvedExperiment: v.optional(v.nullable(v.string()), null),
  createdAt: v.string(),
  updatedAt: v.string(),
  bodyHash: v.exactOptional(v.string()),
});

const datasetItem = v.object({ d: v.string(), n: v.number(), rev: v.number(), x: v.optional(v.boolean(), false) });

/** A dataset as stored. */
export interface StoredDataset {
  readonly dataset: Dataset;
  /** Increases with every change of the settings: the optimistic lock. */
  readonly revision: number;
  /** True once the dataset is being deleted: nobody reads it any more. */
  readonly isDeleted: boolean;
  readonly bodyHash: string | null;
}

/** Returns the attributes of a dataset beside its number of items. */
export const packDataset = (value: Dataset, bodyHash: string | null, revision: number) => {
  const { itemCount: _, settings, ...fields } = value;
  const stored = { ...fields, settings: settingsForm.write(settings), bodyHash: bodyHash ?? undefined };
  return { d: JSON.stringify(stored), rev: revision };
};

/** Parses the item of a dataset. @throws ValiError when it is not a dataset. */
export const unpackDataset = (value: unknown): StoredDataset => {
  const { d, n, rev, x } = v.parse(datasetItem, value);
  const { bodyHash = null, ...fields } = v.parse(dataset, parseLossless(d));
  return { dataset: { ...fields, itemCount: n }, revision: rev, isDeleted: x, bodyHash };
};

/** The revisions of an item, and what lists need to know of the newest. */
export interface ItemEntry {
  readonly id: string;
  /** Place among the items of the dataset. */
  readonly order: string;
  /** Instants of the revisions, in order; `-` before that of a deletion. */
  readonly revisions: readonly string[];
  /** Hash of the newest content, empty after a deletion. */
  readonly contentHash: string;
  /** Bytes of the newest content as JSON. */
  readonly bytes: number;
}

const entryItem = v.object({
  sk: v.string(),
  o: v.string(),
  r: v.array(v.string()),
  h: v.string(),
  b: v.number(),
});

export const packEntry = ({ order, revisions, contentHash, bytes }: ItemEntry) => ({
  o: order,
  r: revisions,
  h: contentHash,
  b: bytes,
});

export const unpackEntry = (value: unknown): ItemEntry => {
  const { sk, o, r, h, b } = v.parse(entryItem, value);
  return { id: sk.slice(sk.indexOf("#") + 1), order: o, revisions: r, contentHash: h, bytes: b };
};

/** Returns the revision of an item that counts at an instant; null if it did not exist then. @param at absent for now. */
export const revisionAt = ({ revisions }: Pick<ItemEntry, "revisions">, at?: Instant): Instant | null => {
  const instantOf = (revision: string): Instant => (revision.startsWith("-") ? revision.slice(1) : revision);
  const revision = revisions.findLast((each) => at === undefined || instantOf(each) <= at);
  return revision === undefined || revision.startsWith("-") ? null : revision;
};

const source = v.nullable(v.object({ traceId: v.string(), spanId: v.nullable(v.string()) }));

const revision = v.object({
  id: v.string(),
  externalId: v.nullable(v.string()),
  input: v.custom<Json>((value) => value !== undefined),
  expectedOutput: v.custom<Json>((value) => value !== undefined),
  metadata: v.custom<JsonObject>((value) => typeof value === "object" && value !== null),
  source,
  // Items of earlier versions do not have it.
  sourceUser: v.optional(v.string()),
  revisedAt: v.string(),
  createdAt: v.string(),
});

export const packRevision = (value: ItemRevision): Uint8Array => deflateRawSync(JSON.stringify(value));

/** Parses a packed revision. @throws ValiError when it is none. */
export const unpackRevision = (value: unknown): ItemRevision =>
  v.parse(revision, parseLossless(inflateRawSync(v.parse(v.instance(Uint8Array), value)).toString()));
