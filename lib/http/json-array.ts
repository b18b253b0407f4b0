import { AsyncLocalStorage } from "node:async_hooks";

/** An object around an array: the array is its last member. */
interface Frame {
  readonly members: Readonly<Record<string, unknown>>;
  readonly name: string;
}

/** A JSON array that is written while it is read: its length is bounded by nothing. */
export class JsonArray {
  readonly #items: AsyncIterator<unknown>;
  readonly #opening: string;
  readonly #closing: string;
  /** What leads to the items behind these, where they are a part of a list. */
  readonly nextCursor: unknown;

  constructor(items: AsyncIterable<unknown>, frame?: Frame) {
    this.#items = items[Symbol.asyncIterator]();
    this.#opening = frame === undefined ? "[" : openingOf(frame);
    this.#closing = frame === undefined ? "]" : "]}";
    this.nextCursor = frame?.members["next_cursor"];
  }

  /** The text in chunks. The first item is read before this returns, so that an error can still be a status. */
  async chunks(): Promise<AsyncIterable<string>> {
    const [items, opening, closing] = [this.#items, this.#opening, this.#closing];
    const first = await items.next();
    // Whoever reads on does so elsewhere: the rest belongs to this request, too.
    const here = AsyncLocalStorage.snapshot();
    return (async function* () {
      yield opening;
      for (
        let item = first, separator = "";
        item.done !== true;
        item = await here(() => items.next()), separator = ","
      ) {
        yield `${separator}${JSON.stringify(item.value)}`;
      }
      yield closing;
    })();
  }
}

const openingOf = ({ members, name }: Frame): string => JSON.stringify({ ...members, [name]: [] }).slice(0, -2);
