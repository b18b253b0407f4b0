import { allEnded } from "./all-ended.ts";
import { semaphore } from "./semaphore.ts";

/**
 * Does something with each of some items, at most `width` at a time; one that fails keeps none of the others from it.
 *
 * @throws what the first of those that failed threw, after all have ended.
 */
export const sideBySide = <Item, Result>(
  items: Iterable<Item>,
  width: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const turns = semaphore(width);
  return allEnded(Array.from(items, (item) => turns(() => work(item))));
};
