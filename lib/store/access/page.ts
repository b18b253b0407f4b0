import { byPosition, type Page, type PageAt, type Position } from "../../domain/page.ts";
import type { SortOrder } from "../../domain/list-order.ts";

/** A page of things in the order in which they were made, then by id in the same direction. */
export const orderedPage = <Thing extends { readonly createdAt: string }>(
  things: readonly Thing[],
  idOf: (thing: Thing) => string,
  order: SortOrder,
  { limit, offset, after }: PageAt,
): Page<Thing> => {
  const compare = byPosition(order);
  const placed = things.map((thing) => ({ thing, at: { key: thing.createdAt, id: idOf(thing) } satisfies Position }));
  const sorted = placed.toSorted((a, b) => compare(a.at, b.at));
  const behind = after === null ? sorted.slice(offset) : sorted.filter(({ at }) => compare(at, after) > 0);
  const shown = behind.slice(0, limit);
  return {
    items: shown.map(({ thing }) => thing),
    total: things.length,
    last: behind.length > limit ? (shown.at(-1)?.at ?? null) : null,
  };
};
