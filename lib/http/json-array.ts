/** A JSON array that is written while it is read: its length is bounded by nothing. */
export class JsonArray {
  readonly #items: AsyncIterator<unknown>;

  constructor(items: AsyncIterable<unknown>) {
    this.#items = items[Symbol.asyncIterator]();
  }

  /** The array's text in chunks. The first item is read before this returns, so that an error can still be a status. */
  async chunks(): Promise<AsyncIterable<string>> {
    const items = this.#items;
    const first = await items.next();
    return (async function* () {
      yield "[";
      for (let item = first, separator = ""; item.done !== true; item = await items.next(), separator = ",") {
        yield `${separator}${JSON.stringify(item.value)}`;
      }
      yield "]";
    })();
  }
}
