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
