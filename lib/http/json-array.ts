import { AsyncLocalStorage } from "node:async_hooks";
import type { ReplyWriter } from "./reply-writer.ts";

/** An object around an array: the array is its last member. */
interface Frame {
  readonly members: Readonly<Record<string, unknown>>;
  readonly name: string;
  /** Whether each item begins a line, for who reads it while it comes. */
  readonly byLine?: true;
}

/** A JSON array that is written while it is read: its length is bounded by nothing. */
export class JsonArray {
  readonly #items: AsyncIterator<unknown>;
  readonly #frame: Frame | undefined;
  /** What leads to the items behind these, where they are a part of a list. */
  readonly nextCursor: unknown;

  constructor(items: AsyncIterable<unknown>, frame?: Frame) {
    this.#items = items[Symbol.asyncIterator]();
    this.#frame = frame;
    this.nextCursor = frame?.members["next_cursor"];
  }

  /**
   * The text in chunks. The first item is read before this returns, so that an error can still be a status.
   *
   * @param write writes the whole, and so any part of it that stands where it would stand there.
   */
  async chunks(write: ReplyWriter): Promise<AsyncIterable<string>> {
    const [items, frame] = [this.#items, this.#frame];
    const [opening, closing] = frame === undefined ? ["[", "]"] : [openingOf(frame, write), "]}"];
    const before = frame === undefined ? 1 : openingOf({ ...frame, members: {} }, write).length;
    const itemText = (item: unknown): string =>
      write(frame === undefined ? [item] : { [frame.name]: [item] }).slice(before, -closing.length);
    const line = frame?.byLine === true ? "\n" : "";
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
        yield `${separator}${line}${itemText(item.value)}`;
      }
      yield `${line}${closing}`;
    })();
  }
}

const openingOf = ({ members, name }: Frame, write: ReplyWriter): string =>
  write({ ...members, [name]: [] }).slice(0, -2);
