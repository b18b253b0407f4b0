import { byCodePoint } from "./text.ts";

/** Sort directions of a list; the first is the default. */
export const sortOrders = ["desc", "asc"] as const;
export type SortOrder = (typeof sortOrders)[number];

/** A value that a list is sorted by. */
export type SortKey = string | number | null;

const compareKeys = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number" ? a - b : byCodePoint(String(a), String(b));

/**
 * Returns a comparator by key, then by id, in one direction; null keys come last in both directions.
 *
 * @param compareIds ascending comparator that never returns 0 for two items.
 */
export const listOrder = <Item extends { readonly key: SortKey }>(
  order: SortOrder,
  compareIds: (a: Item, b: Item) => number,
): ((a: Item, b: Item) => number) => {
  const sign = order === "asc" ? 1 : -1;
  return (a, b) => {
    if (a.key === null || b.key === null) {
      if (a.key !== b.key) return a.key === null ? 1 : -1;
    } else {
      const difference = compareKeys(a.key, b.key);
      if (difference !== 0) return sign * difference;
    }
    return sign * compareIds(a, b);
  };
};
