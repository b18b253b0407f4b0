import { deflateRawSync, inflateRawSync } from "node:zlib";
import * as v from "valibot";
import {
  labelDraws,
  labellerTypes,
  labelSetStatuses,
  type PersonLabels,
  type LabelItem,
  type LabelSet,
  type LabelSetSettings,
} from "../../domain/labels/label-set.ts";
import { cells, type Cell } from "../../domain/labels/confusion.ts";
import { countsOf, itemsIn, type Queue } from "../../domain/labels/queue.ts";
import type { TrustResult } from "../../domain/labels/trust-result.ts";
import { scoreDataTypes } from "../../domain/scores/score.ts";

const scale = v.object({
  data_type: v.picklist(scoreDataTypes),
  min: v.nullable(v.number()),
  max: v.nullable(v.number()),
  threshold: v.nullable(v.number()),
  levels: v.array(v.object({ label: v.string(), value: v.number() })),
  categories: v.array(v.string()),
  passing: v.array(v.string()),
});

const settings = v.object({
  id: v.string(),
  projectId: v.string(),
  name: v.string(),
  metrics: v.array(
    v.object({
      name: v.string(),
      version: v.nullable(v.number()),
      scale,
      description: v.nullable(v.string()),
      textHash: v.nullable(v.string()),
    }),
  ),
  draw: v.picklist(labelDraws),
  isRandom: v.boolean(),
  size: v.number(),
  labelsPerItem: v.number(),
  isBlind: v.boolean(),
  createdAt: v.string(),
  bodyHash: v.nullable(v.string()),
});

/** Loose schema: properties that a later version of the service added stay with the set when it is changed. */
const progress = v.looseObject({
  people: v.array(v.string()),
  leases: v.array(v.object({ place: v.number(), person: v.number(), until: v.number() })),
  gone: v.array(v.number()),
  status: v.picklist(labelSetStatuses),
  cannotTellCount: v.number(),
  publishedTo: v.number(),
  publishedCount: v.number(),
  unpublishedCount: v.number(),
  closedAt: v.nullable(v.string()),
});

const setItem = v.object({
  d: v.string(),
  s: v.string(),
  q: v.instance(Uint8Array),
  rev: v.number(),
  x: v.optional(v.boolean(), false),
});

/** What never changes of a set. */
type Settings = LabelSetSettings &
  Pick<LabelSet, "id" | "projectId" | "createdAt"> & {
    readonly bodyHash: string | null;
  };

/** What changes of a set: its queue and how far it is. */
export interface SetState extends Pick<
  LabelSet,
  "status" | "cannotTellCount" | "publishedCount" | "unpublishedCount" | "closedAt"
> {
  readonly queue: Queue;
  /** Place up to which the labels of a set that is being closed are published. */
  readonly publishedTo: number;
}

/** A set as stored. */
export interface StoredSet {
  readonly settings: Settings;
  readonly state: SetState;
  /** Increases with every change: the optimistic lock. */
  readonly revision: number;
  /** True once the set is being deleted: nobody reads it any more. */
  readonly isDeleted: boolean;
}

export const packSettings = (value: Settings): string => JSON.stringify(value);

/** Returns the attributes of a set's state: text and slots. */
export const packSetState = ({ queue: { people, leases, gone, slots }, ...rest }: SetState) => ({
  s: JSON.stringify({ ...rest, people, leases, gone }),
  q: slots,
});

/** Parses the item of a set. @throws ValiError when it is not one. */
export const unpackSet = (value: unknown): StoredSet => {
  const { d, s, q, rev, x } = v.parse(setItem, value);
  const parsed: Settings = v.parse(settings, JSON.parse(d));
  const { people, leases, gone, ...rest } = v.parse(progress, JSON.parse(s));
  const queue = { width: parsed.labelsPerItem, people, leases, gone, slots: Uint8Array.from(q) };
  return { settings: parsed, state: { ...rest, queue }, revision: rev, isDeleted: x };
};

export const labelSetOf = ({ settings: { bodyHash: _hash, ...fields }, state }: StoredSet): LabelSet => {
  const { labelled, labels } = countsOf(state.queue);
  const { status, cannotTellCount, publishedCount, unpublishedCount, closedAt } = state;
  return {
    ...fields,
    status,
    cannotTellCount,
    publishedCount,
    unpublishedCount,
    closedAt,
    itemCount: itemsIn(state.queue),
    labelledCount: labelled,
    labelCount: labels,
    passedOverCount: state.queue.gone.length,
  };
};

const bytesItem = v.object({ d: v.instance(Uint8Array) });

const packJson = (value: unknown): { readonly d: Uint8Array } => ({ d: deflateRawSync(JSON.stringify(value)) });

const unpackJson = <Schema extends v.GenericSchema>(schema: Schema, item: unknown): v.InferOutput<Schema> =>
  v.parse(schema, JSON.parse(inflateRawSync(v.parse(bytesItem, item).d).toString()));

const chunk = v.array(v.tuple([v.string(), v.number(), v.string()]));

export const packChunk = (items: readonly LabelItem[]) =>
  packJson(items.map(({ traceId, version, incarnation }) => [traceId, version, incarnation]));

export const unpackChunk = (item: unknown): readonly LabelItem[] =>
  unpackJson(chunk, item).map(([traceId, version, incarnation]) => ({ traceId, version, incarnation }));

const labels = v.object({
  labeller: v.object({ type: v.picklist(labellerTypes), id: v.string() }),
  values: v.record(v.string(), v.string()),
  cannotTell: v.array(v.string()),
  note: v.nullable(v.string()),
  createdAt: v.string(),
});

export const packLabels = (value: PersonLabels) => packJson(value);

export const unpackLabels = (item: unknown): PersonLabels => unpackJson(labels, item);

/** A trust result with the cells of its items by their places. */
export interface StoredTrust {
  readonly result: TrustResult;
  readonly cells: readonly (readonly [place: number, cell: Cell])[];
}

const trust = v.object({
  result: v.custom<TrustResult>((value) => typeof value === "object" && value !== null),
  cells: v.array(v.tuple([v.number(), v.picklist(cells)])),
});

export const packTrust = (value: StoredTrust) => packJson(value);

export const unpackTrust = (item: unknown): StoredTrust => unpackJson(trust, item);
