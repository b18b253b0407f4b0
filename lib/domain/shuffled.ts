import { randomInt } from "node:crypto";

/** Returns items in random order, each order as likely as any other. */
export const shuffled = <Item>(items: readonly Item[]): readonly Item[] => {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1);
    const [a, b] = [result[last], result[other]];
    if (a !== undefined && b !== undefined) [result[last], result[other]] = [b, a];
  }
  return result;
};
