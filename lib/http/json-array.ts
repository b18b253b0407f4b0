import { AsyncLocalStorage } from "node:async_hooks";
import type { ReplyWriter } from "./reply.ts";

/** JSON object around a streamed array; the array is its last member. */
interface Frame {
  /** Members written before the array. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Name of the array member. */
  readonly name: string;
  /** If true, each item begins on a new line, for clients that process a reply line by line. */
  readonly byLine?: true;
}

/**
 * A JSON array that is written while its items are read, so that its length is not limited by memory.
 *
 * @example
 * return new JsonArray(traces, { members: { total: 3 }, name: "items" }); // {"total":3,"items":[...]}
 */
export class JsonArray {
  readonly #items: AsyncIterator<unknown>;
  readonly #frame: Frame | undefined;
  /** Cursor of the next page, from the frame's member `next_cursor`; undefined without a frame. */
  readonly nextCursor: unknown;

  constructor(items: AsyncIterable<unknown>, frame?: Frame) {
    this.#items = items[Symbol.asyncIterator]();
    this.#frame = frame;
    this.nextCursor = frame?.members["next_cursor"];
  }

  /**
   * Returns the JSON text in chunks. The first item is read before the promise resolves, so that an error in it can still
   * become an HTTP status.
   *
   * @param write writer of the complete reply; items are written inside the frame, so that the writer finds their schema.
   */
  async chunks(write: ReplyWriter): Promise<AsyncIterable<string>> {
    const [items, frame] = [this.#items, this.#frame];
    const [opening, closing] = frame === undefined ? ["[", "]"] : [openingOf(frame, write), "]}"];
    const prefixLength = frame === undefined ? 1 : openingOf({ ...frame, members: {} }, write).length;
    const itemText = (item: unknown): string =>
      write(frame === undefined ? [item] : { [frame.name]: [item] }).slice(prefixLength, -closing.length);
    const line = frame?.byLine === true ? "\n" : "";
    const first = await items.next();
    // The stream is consumed outside of this async context; the snapshot keeps the request's read meter for later items.
    const inRequestContext = AsyncLocalStorage.snapshot();
    return (async function* () {
      yield opening;
      for (
        let item = first, separator = "";
        item.done !== true;
        item = await inRequestContext(() => items.next()), separator = ","
      ) {
        yield `${separator}${line}${itemText(item.value)}`;
      }
      yield `${line}${closing}`;
    })();
  }
}

const openingOf = ({ members, name }: Frame, write: ReplyWriter): string =>
  write({ ...members, [name]: [] }).slice(0, -2);
