import { randomInt } from "node:crypto";

/** How many of `count` a rate takes: rounded down, but one at least when the rate is above 0. */
const sampleSize = (count: number, rate: number): number =>
  rate === 0 || count === 0 ? 0 : Math.max(1, Math.floor(count * rate + 1e-9));

/**
 * Picks a uniform sample without replacement; its members keep their order.
 *
 * @param draw a whole number from 0 to below its argument.
 */
export const sample = <Item>(
  items: readonly Item[],
  rate: number,
  draw: (below: number) => number = randomInt,
): readonly Item[] => {
  const size = sampleSize(items.length, rate);
  if (size === items.length) return items;
  const indexes = Array.from(items.keys());
  for (let index = 0; index < size; index += 1) {
    const other = index + draw(items.length - index);
    const [a = 0, b = 0] = [indexes[index], indexes[other]];
    indexes[index] = b;
    indexes[other] = a;
  }
  const chosen = new Set(indexes.slice(0, size));
  return items.filter((_, index) => chosen.has(index));
};
