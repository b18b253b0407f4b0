import { byPosition, type Page, type PageRequest, type Position } from "../../domain/page.ts";
import type { SortOrder } from "../../domain/list-order.ts";

/** Returns a page of entries sorted by creation time, then by id in the same direction. */
export const orderedPage = <Entry extends { readonly createdAt: string }>(
  entries: readonly Entry[],
  idOf: (entry: Entry) => string,
  order: SortOrder,
  { limit, offset, after }: PageRequest,
): Page<Entry> => {
  const compare = byPosition(order);
  const positioned = entries.map((entry) => ({
    entry,
    at: { key: entry.createdAt, id: idOf(entry) } satisfies Position,
  }));
  const sorted = positioned.toSorted((a, b) => compare(a.at, b.at));
  const remaining = after === null ? sorted.slice(offset) : sorted.filter(({ at }) => compare(at, after) > 0);
  const pageEntries = remaining.slice(0, limit);
  return {
    items: pageEntries.map(({ entry }) => entry),
    total: entries.length,
    last: remaining.length > limit ? (pageEntries.at(-1)?.at ?? null) : null,
  };
};
