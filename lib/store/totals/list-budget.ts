import { invalid } from "../../domain/refusal.ts";

/**
 * Items that a list of runs or scores may read: a longer list is refused, never truncated. About 250 MB: 240
 * sequential pages of 80 ms each take 20 s, and the gateway's time-out is 29 s.
 */
export const maxListItems = 250_000;

/** Max items before a page that is requested by offset: about 2,500 read units. A page by cursor has no bound. */
const maxOffset = 50_000;

/**
 * Checks the number of items before a page.
 *
 * @param max maximum if it is lower than 50,000.
 * @throws Refusal `invalid` when they are too many; the refusal names the cursor.
 */
export const checkOffset = (offset: number, max: number, noun: string): void => {
  const bound = Math.min(max, maxOffset);
  if (offset <= bound) return;
  const msg = `An offset above ${bound.toLocaleString("en")} would read all ${noun} before the page. Send the previous page's next_cursor as cursor.`;
  throw invalid(["query", "offset"], msg, "too_many_rows");
};

/** Wording of the refusal of a list that is too long to read. */
export interface ListRefusal {
  /** Plural noun for the listed items, such as `scores`. */
  readonly noun: string;
  /** Path of the request field that can narrow the list. */
  readonly loc: readonly string[];
  /** Advice to the client, one sentence. */
  readonly advice: string;
}

/** Returns functions that refuse a list as soon as it would read, or has read, more than `max` items. */
export const listBudget = (max: number, { noun, loc, advice }: ListRefusal) => {
  let itemsRead = 0;
  const check = (items: number): void => {
    if (items <= max) return;
    const msg = `More than ${max.toLocaleString("en")} ${noun} would have to be read. ${advice}`;
    throw invalid(loc, msg, "too_many_rows");
  };
  return {
    /**
     * Checks an estimate before the first read.
     *
     * @param items number that will be read, according to counters.
     * @throws Refusal `invalid` when it exceeds the limit.
     */
    expect: check,
    /** Counts items that were read. @throws Refusal `invalid` once the total exceeds the limit. */
    onRead: (items: number): void => {
      itemsRead += items;
      check(itemsRead);
    },
  };
};
