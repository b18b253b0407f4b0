/** A page of a list that is read to its end. */
export interface ReadPage<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly next_cursor: string | null;
}

/** Reads a page: the first one without a cursor. */
export type PageReader<Item> = (
  paging: { readonly limit: number; readonly cursor?: string },
  signal: AbortSignal,
) => Promise<ReadPage<Item>>;

/** Items of a page: the most that every list accepts. */
const pageSize = 200;

/** Reads a list page by page, by its cursors, so that items that arrive meanwhile shift nothing. A page of a search may be empty. */
export const allPages = async function* <Item>(
  read: PageReader<Item>,
  signal: AbortSignal,
): AsyncGenerator<ReadPage<Item>, void> {
  let cursor: string | null = null;
  do {
    const page: ReadPage<Item> = await read({ limit: pageSize, ...(cursor !== null && { cursor }) }, signal);
    yield page;
    cursor = page.next_cursor;
  } while (cursor !== null);
};
