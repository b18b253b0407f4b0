import { byCodePoint } from "../../domain/order.ts";
import type { Page } from "../../domain/page.ts";
import { listOrder, type SortOrder } from "../../domain/list-order.ts";

/** A page of things in the order in which they were made, then by id in the same direction. */
export const orderedPage = <Thing extends { readonly createdAt: string }>(
  things: readonly Thing[],
  idOf: (thing: Thing) => string,
  order: SortOrder,
  limit: number,
  offset: number,
): Page<Thing> => {
  const keyed = things.map((thing) => ({ key: thing.createdAt, thing }));
  const compare = listOrder<(typeof keyed)[number]>(order, (a, b) => byCodePoint(idOf(a.thing), idOf(b.thing)));
  const items = keyed.toSorted(compare).slice(offset, offset + limit);
  return { items: items.map(({ thing }) => thing), total: things.length, limit, offset };
};
