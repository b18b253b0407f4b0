/** A page of a list. */
interface ListPage {
  readonly items: readonly unknown[];
  readonly next_cursor?: string | null;
}

const isPage = (reply: unknown): reply is ListPage =>
  typeof reply === "object" && reply !== null && "items" in reply && Array.isArray(reply.items);

interface PageQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Items of a page when the caller names no number: what every list takes. */
const pageSize = 100;

/**
 * Every item of a list, page after page, read as it is asked for: by cursor where the list has one, which stays right while
 * items arrive, and by offset elsewhere.
 *
 * @param read one page; what is undefined is not asked for, whatever the caller's own query says.
 */
export const everyItem = async function* (
  read: (query: PageQuery) => Promise<unknown>,
  { limit = pageSize, offset = 0, cursor: begin }: PageQuery,
): AsyncGenerator {
  let [at, cursor]: [number, string | undefined] = [offset, begin];
  for (;;) {
    const reply = await read(
      cursor === undefined ? { limit, offset: at, cursor } : { limit, offset: undefined, cursor },
    );
    if (!isPage(reply)) throw new TypeError("What was answered is no page of a list.");
    const { items, next_cursor: next } = reply;
    yield* items;
    if (next === null || items.length === 0) return;
    if (next === undefined && items.length < limit) return;
    cursor = next;
    at += items.length;
  }
};
