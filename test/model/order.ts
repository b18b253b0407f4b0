/** Comparison function: negative, zero or positive. */
export type Compare<Item> = (a: Item, b: Item) => number;

/** Compares texts by code point. */
const byCodePoint: Compare<string> = (a, b) => {
  const [pointsOfA, pointsOfB] = [Array.from(a), Array.from(b)];
  for (let index = 0; index < Math.min(pointsOfA.length, pointsOfB.length); index += 1) {
    const difference = (pointsOfA[index]?.codePointAt(0) ?? 0) - (pointsOfB[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return pointsOfA.length - pointsOfB.length;
};

export const bySize: Compare<number | bigint> = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

type Column = string | number | bigint;

export type Direction = "asc" | "desc";

/** Sorts by a column with nulls last in both directions, then by id in the same direction. */
export const sorted = <Item>(
  items: readonly Item[],
  direction: Direction,
  columnOf: (item: Item) => Column | null,
  idOf: (item: Item) => string,
): readonly Item[] => {
  const sign = direction === "asc" ? 1 : -1;
  const byColumn: Compare<Column> = (a, b) =>
    typeof a === "string" ? byCodePoint(a, String(b)) : typeof b === "string" ? 0 : bySize(a, b);
  return items.toSorted((itemA, itemB) => {
    const [a, b] = [columnOf(itemA), columnOf(itemB)];
    if (a === null || b === null) {
      if (a !== b) return a === null ? 1 : -1;
    } else if (byColumn(a, b) !== 0) return sign * byColumn(a, b);
    return sign * byCodePoint(idOf(itemA), idOf(itemB));
  });
};

/** Distinct texts, sorted by code point. */
export const distinct = (texts: Iterable<string>): readonly string[] => [...new Set(texts)].toSorted(byCodePoint);
