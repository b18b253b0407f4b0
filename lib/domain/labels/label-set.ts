import type { Principal } from "../access/principal.ts";
import type { Instant } from "../instant.ts";
import { derivedUuid } from "../access/identity.ts";
import type { LabelScale } from "./scale.ts";

export const maxLabelSets = 100;
export const [minLabelItems, maxLabelItems] = [20, 2_000];
export const maxLabelsPerItem = 5;
export const maxLabelMetrics = 10;
/** Most people who label a set. */
export const maxLabellers = 200;
/** Time in milliseconds for which a person holds an item. */
export const labelLeaseMilliseconds = 600_000;

/** Orders in which items are drawn from the traces that match. */
export const labelDraws = ["random", "stratified", "uncertain", "lowest"] as const;
export const labelSetStatuses = ["OPEN", "CLOSING", "CLOSED"] as const;
export const labellerTypes = ["USER", "API_KEY", "UPLOAD"] as const;

/** A metric, or another name of scores, that a set asks for. */
export interface LabelMetric {
  readonly name: string;
  /** Version of a custom metric; null for others. */
  readonly version: number | null;
  readonly scale: LabelScale;
  /** What people judge; null for names that are no metric. */
  readonly description: string | null;
  /** Hash of the metric's text; null for names that are no metric. */
  readonly textHash: string | null;
}

/** What a set was asked to be; it never changes. */
export interface LabelSetSettings {
  readonly name: string;
  readonly metrics: readonly LabelMetric[];
  readonly draw: (typeof labelDraws)[number];
  /** True if the items are a random sample of what filters select; traces that somebody listed or scores selected are not. */
  readonly isRandom: boolean;
  readonly size: number;
  readonly labelsPerItem: number;
  readonly isBlind: boolean;
}

export interface LabelSet extends LabelSetSettings {
  readonly id: string;
  readonly projectId: string;
  readonly status: (typeof labelSetStatuses)[number];
  readonly itemCount: number;
  /** Items with at least one label. */
  readonly labelledCount: number;
  readonly labelCount: number;
  /** Values of labels that nobody could tell. */
  readonly cannotTellCount: number;
  /** Items whose trace was deleted or changed, as far as the queue has come upon them. */
  readonly passedOverCount: number;
  readonly publishedCount: number;
  /** Labels that made no score, since their trace changed or was deleted. */
  readonly unpublishedCount: number;
  readonly createdAt: Instant;
  readonly closedAt: Instant | null;
}

/** A frozen version of a trace. */
export interface LabelItem {
  readonly traceId: string;
  /** Version of the trace's content. */
  readonly version: number;
  readonly incarnation: string;
}

export interface Labeller {
  readonly type: (typeof labellerTypes)[number];
  /** Id of a user or an API key; for an upload the name that it gives. */
  readonly id: string;
}

/** Labels of an item by one person. */
export interface PersonLabels {
  readonly labeller: Labeller;
  /** Values by metric, without those that the person cannot tell. */
  readonly values: Readonly<Record<string, string>>;
  readonly cannotTell: readonly string[];
  readonly note: string | null;
  readonly createdAt: Instant;
}

export const labellerOf = (principal: Principal): Labeller =>
  principal.kind === "user" ? { type: "USER", id: principal.userId } : { type: "API_KEY", id: principal.keyId };

/** Text that is another one for each person. */
export const labellerKey = ({ type, id }: Labeller): string => `${type}:${id}`;

/** Digits of an item's id that are its place in the set. */
const placeDigits = 12;

/** Returns the id of the item at a place of a set. */
export const labelItemId = (set: string, place: number): string =>
  derivedUuid("label-items", set).slice(0, -placeDigits) + place.toString(16).padStart(placeDigits, "0");

/** Returns the place of an item by its id; null for an id of another set. */
export const labelsPlaceOf = (set: Pick<LabelSet, "id" | "itemCount">, item: string): number | null => {
  const place = Number.parseInt(item.slice(-placeDigits), 16);
  return place < set.itemCount && item === labelItemId(set.id, place) ? place : null;
};
