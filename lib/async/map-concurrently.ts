import { awaitAll } from "./await-all.ts";
import { semaphore } from "./semaphore.ts";

/**
 * Runs `work` for every item, at most `concurrency` at a time. A failed item does not stop the others.
 *
 * @returns the results in the order of the items.
 * @throws the error of the first failed item, after all have ended.
 */
export const mapConcurrently = <Item, Result>(
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const slots = semaphore(concurrency);
  return awaitAll(Array.from(items, (item) => slots(() => work(item))));
};
