import type { LabelItemReply, PersonLabelsReply } from "../../contract/labels/label-items.ts";
import type { LabelSetReply } from "../../contract/labels/label-sets.ts";
import { labelItemId, type PersonLabels, type LabelItem, type LabelSet } from "../../domain/labels/label-set.ts";
import type { TraceRow } from "../../domain/traces/row.ts";
import type { Caller } from "../exchange.ts";

/** Returns a set as a caller sees it: whoever may only label can read no verdict. */
export const labelSetReply = (set: LabelSet, { keyAccess }: Pick<Caller, "keyAccess">): LabelSetReply => ({
  id: set.id,
  project_id: set.projectId,
  name: set.name,
  metrics: set.metrics.map(({ name, version, description, scale: { levels, categories, passing, ...scale } }) => ({
    name,
    version,
    description,
    scale: { ...scale, levels: [...levels], categories: [...categories], passing: [...passing] },
  })),
  draw: keyAccess === "label" ? null : set.draw,
  size: set.size,
  item_count: set.itemCount,
  labels_per_item: set.labelsPerItem,
  blind: keyAccess === "label" ? "enforced" : set.isBlind ? "page" : null,
  status: set.status,
  labelled_count: set.labelledCount,
  label_count: set.labelCount,
  cannot_tell_count: set.cannotTellCount,
  passed_over_count: set.passedOverCount,
  published_count: set.publishedCount,
  unpublished_count: set.unpublishedCount,
  created_at: set.createdAt,
  closed_at: set.closedAt,
});

export const personLabelsReply = ({
  labeller,
  values,
  cannotTell,
  note,
  createdAt,
}: PersonLabels): PersonLabelsReply => ({
  labeller: { ...labeller },
  values: { ...values },
  cannot_tell: [...cannotTell],
  note,
  created_at: createdAt,
});

export const itemFieldsReply = (set: string, place: number, { traceId, version }: LabelItem) => ({
  id: labelItemId(set, place),
  trace_id: traceId,
  version,
});

/** True if the content of an item's trace is another one than when it was drawn. @param row present row of the trace. */
export const isStaleItem = (item: LabelItem, row: Pick<TraceRow, "contentVersion" | "incarnation">): boolean =>
  row.contentVersion !== item.version || row.incarnation !== item.incarnation;

/** Returns an item with all labels. @param row row of its trace; undefined if the trace was deleted. */
export const labelItemReply = (
  set: string,
  place: number,
  item: LabelItem,
  row: TraceRow | undefined,
  labels: readonly PersonLabels[],
): LabelItemReply => ({
  ...itemFieldsReply(set, place, item),
  is_stale: row !== undefined && isStaleItem(item, row),
  is_deleted: row === undefined,
  labels: labels.map(personLabelsReply),
});
