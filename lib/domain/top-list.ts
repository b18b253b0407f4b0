import type { SortKey } from "./list-order.ts";
import type { PageRequest, Position } from "./page.ts";

/**
 * Collects the first `size` items of a stream in a sort order, without storing or sorting all of them.
 *
 * @example
 * const newest = new TopList<Trace>(50, newestFirst);
 * for await (const trace of traces) newest.add(trace);
 * newest.from(0); // the 50 newest traces
 */
export class TopList<Item> {
  readonly #size: number;
  readonly #compare: (a: Item, b: Item) => number;
  #items: Item[] = [];
  /**
   * Last of the first `size` items so far; items that sort after it are dropped. Undefined while there are fewer items.
   */
  #cutoff: Item | undefined;

  /**
   * Creates an empty list.
   *
   * @param size maximum number of items.
   * @param compare a total order, negative if the first item comes first.
   */
  constructor(size: number, compare: (a: Item, b: Item) => number) {
    this.#size = size;
    this.#compare = compare;
  }

  add(item: Item): void {
    if (this.#cutoff !== undefined && this.#compare(item, this.#cutoff) > 0) return;
    this.#items.push(item);
    // Sorting only once there are twice as many items as needed costs as little as a heap.
    if (this.#items.length > 2 * this.#size + 100) this.#cut();
  }

  /** Returns the collected items in order, from an offset on. */
  from(offset: number): Item[] {
    this.#cut();
    return this.#items.slice(offset);
  }

  #cut(): void {
    this.#items.sort(this.#compare);
    this.#items.length = Math.min(this.#items.length, this.#size);
    if (this.#items.length === this.#size) this.#cutoff = this.#items.at(-1);
  }
}

/**
 * Collects one page of a list whose items come in any order.
 *
 * @param start the last item before the page, as far as `compare` reads it; it replaces the offset.
 * @param idOf id of an item, for the position of the page's last one.
 */
export const topPage = <Item extends Start, Start extends { readonly key: SortKey }>(
  { limit, offset }: Pick<PageRequest, "limit" | "offset">,
  compare: (a: Start, b: Start) => number,
  start: Start | null,
  idOf: (item: Item) => string,
) => {
  const before = start === null ? offset : 0;
  // One item more than needed shows whether the list continues.
  const size = before + limit + 1;
  const top = new TopList<Item>(size, compare);
  return {
    /** Maximum number of items that are kept. */
    size,
    /** Adds an item. @returns false if it stands before the page. */
    add: (item: Item): boolean => {
      if (start !== null && compare(item, start) <= 0) return false;
      top.add(item);
      return true;
    },
    /** Returns the page in order, and the position of its last item; null if the list ends with it. */
    page: (): { readonly items: readonly Item[]; readonly last: Position | null } => {
      const rest = top.from(before);
      const items = rest.slice(0, limit);
      const end = rest.length > limit ? items.at(-1) : undefined;
      return { items, last: end === undefined ? null : { key: end.key, id: idOf(end) } };
    },
  };
};
