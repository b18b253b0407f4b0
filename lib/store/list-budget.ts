import { invalid } from "../domain/refusal.ts";

/**
 * What a list of runs or scores reads at most: it is refused otherwise, never cut short in silence. A quarter of a gigabyte:
 * some 240 pages one after the other, 20 s where each takes 80 ms; a gateway waits for 29.
 */
export const maxListed = 250_000;

/** How a list is refused that is too long to be read. */
export interface ListRefusal {
  /** What is listed, in words: `scores`. */
  readonly what: string;
  /** Of the field that narrows the list. */
  readonly loc: readonly string[];
  /** What a client may do, as a sentence. */
  readonly advice: string;
}

/** Keeps a list from reading more than `max` items. */
export const listBudget = (max: number, { what, loc, advice }: ListRefusal) => {
  let read = 0;
  const check = (items: number): void => {
    if (items <= max) return;
    const msg = `More than ${max.toLocaleString("en")} ${what} would have to be read. ${advice}`;
    throw invalid(loc, msg, "too_many_rows");
  };
  return {
    /** Before anything is read. @param items that will be, as counters say. @throws Refusal `invalid` when they are too many. */
    expect: check,
    /** @param items that have been read. @throws Refusal `invalid` once they are too many altogether. */
    onRead: (items: number): void => {
      read += items;
      check(read);
    },
  };
};
