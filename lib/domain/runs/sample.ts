import { randomInt } from "node:crypto";

/** Returns the size of a sample: rounded down, but at least 1 if the rate is above 0. */
const sampleSize = (count: number, rate: number): number =>
  rate === 0 || count === 0 ? 0 : Math.max(1, Math.floor(count * rate + 1e-9));

/**
 * Draws a uniform sample without replacement; its items keep their order.
 *
 * @param draw returns a random whole number from 0 to below its argument.
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
    const swapIndex = index + draw(items.length - index);
    const [a = 0, b = 0] = [indexes[index], indexes[swapIndex]];
    indexes[index] = b;
    indexes[swapIndex] = a;
  }
  const chosenIndexes = new Set(indexes.slice(0, size));
  return items.filter((_, index) => chosenIndexes.has(index));
};
