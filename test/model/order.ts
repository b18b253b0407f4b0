/** Less than, equal or greater: below, at or above 0. */
export type Compare<Item> = (a: Item, b: Item) => number;

/** Text by code point. */
const byCodePoint: Compare<string> = (a, b) => {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
};

export const bySize: Compare<number | bigint> = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

type Column = string | number | bigint;

export type Direction = "asc" | "desc";

/** A total order: the column, nulls last in both directions, then the id in the same direction. */
export const sorted = <Item>(
  items: readonly Item[],
  direction: Direction,
  columnOf: (item: Item) => Column | null,
  idOf: (item: Item) => string,
): readonly Item[] => {
  const sign = direction === "asc" ? 1 : -1;
  const byColumn: Compare<Column> = (a, b) =>
    typeof a === "string" ? byCodePoint(a, String(b)) : typeof b === "string" ? 0 : bySize(a, b);
  return items.toSorted((one, other) => {
    const [a, b] = [columnOf(one), columnOf(other)];
    if (a === null || b === null) {
      if (a !== b) return a === null ? 1 : -1;
    } else if (byColumn(a, b) !== 0) return sign * byColumn(a, b);
    return sign * byCodePoint(idOf(one), idOf(other));
  });
};

/** Distinct, by code point. */
export const distinct = (texts: Iterable<string>): readonly string[] => [...new Set(texts)].toSorted(byCodePoint);
