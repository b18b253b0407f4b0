import type { Position } from "../domain/page.ts";
import type { PageReply, Paging } from "./paging.ts";

/** Bytes of the items of a page, with the escapes of a function's reply, which has at most 6 MB. */
export const maxPageBytes = 5_000_000;

/** Returns the bytes of a text in a function's reply, which is JSON itself. */
export const escapedBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/** Returns the bytes of a value in a function's reply. */
export const replyBytes = (value: unknown): number => escapedBytes(JSON.stringify(value));

/** Returns the page of the first items that are together at most `most` large, at least of one; its cursor leads to the others. */
export const fittingPage = <Item>(
  paging: Paging,
  page: PageReply<Item>,
  sizeOf: (item: Item) => number,
  positionOf: (item: Item) => Position,
  most = maxPageBytes,
): PageReply<Item> => {
  let [count, size] = [0, 0];
  for (const item of page.items) {
    size += sizeOf(item);
    if (size > most && count > 0) break;
    count += 1;
  }
  const last = page.items[count - 1];
  if (last === undefined || count === page.items.length) return page;
  return { ...page, items: page.items.slice(0, count), next_cursor: paging.cursorAfter(count, positionOf(last)) };
};
