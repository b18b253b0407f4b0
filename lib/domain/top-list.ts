/**
 * The first of many things, in an order, without keeping or sorting all of them: what comes after the last one wanted is
 * dropped as soon as that is known.
 */
export class TopList<Item> {
  readonly #size: number;
  readonly #compare: (a: Item, b: Item) => number;
  #items: Item[] = [];
  /** What comes after this is not wanted. */
  #bar: Item | undefined;

  /** @param compare a total order, negative when the first comes first. */
  constructor(size: number, compare: (a: Item, b: Item) => number) {
    this.#size = size;
    this.#compare = compare;
  }

  add(item: Item): void {
    if (this.#bar !== undefined && this.#compare(item, this.#bar) > 0) return;
    this.#items.push(item);
    // Twice as many as wanted are sorted at once: that costs as little as a heap.
    if (this.#items.length > 2 * this.#size + 100) this.#cut();
  }

  /** What was added first in the order, from an offset on. */
  from(offset: number): Item[] {
    this.#cut();
    return this.#items.slice(offset);
  }

  #cut(): void {
    this.#items.sort(this.#compare);
    this.#items.length = Math.min(this.#items.length, this.#size);
    if (this.#items.length === this.#size) this.#bar = this.#items.at(-1);
  }
}
