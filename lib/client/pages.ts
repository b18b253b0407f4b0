/** Reply of a list operation. */
interface ListPage {
  readonly items: readonly unknown[];
  readonly next_cursor?: string | null;
}

const isPage = (reply: unknown): reply is ListPage =>
  typeof reply === "object" && reply !== null && "items" in reply && Array.isArray(reply.items);

/** Paging parameters of a list operation. */
interface PageQuery {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Default number of items per page; every list accepts it. */
const pageSize = 100;

/**
 * Yields every item of a list and requests the pages on demand: by cursor if the list has cursors, which stay correct while
 * items are added, otherwise by offset.
 *
 * @param readPage function that requests one page; parameters with the value undefined are removed from the query.
 * @throws TypeError when a reply is not a page.
 */
export const allItems = async function* (
  readPage: (query: PageQuery) => Promise<unknown>,
  { limit = pageSize, offset = 0, cursor: begin }: PageQuery,
): AsyncGenerator {
  let [at, cursor]: [number, string | undefined] = [offset, begin];
  for (;;) {
    const reply = await readPage(
      cursor === undefined ? { limit, offset: at, cursor } : { limit, offset: undefined, cursor },
    );
    if (!isPage(reply)) throw new TypeError("The reply is not a page of a list.");
    const { items, next_cursor: next } = reply;
    yield* items;
    if (next === null || items.length === 0) return;
    if (next === undefined && items.length < limit) return;
    cursor = next;
    at += items.length;
  }
};
