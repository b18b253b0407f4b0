import type { Database } from "./database.ts";
import { newestFirst, type Source } from "./newest-first.ts";
import type { TableName } from "./table.ts";

/** A list of items in one or more partitions, each source with the newest order that it may have as `:to` among its values. */
export interface ListSources {
  readonly table: TableName;
  /** The attribute that orders all sources. */
  readonly sort: string;
  readonly sources: readonly Source[];
}

export interface PageOfList {
  readonly limit: number;
  readonly offset: number;
  /** The order of the last item before the page, in place of `offset`. */
  readonly after?: string | null;
  /** How many there are as counters say. */
  readonly counted: number;
  /** Items that are read for each that matches, on average. */
  readonly sparseness: number;
  readonly onRead: (items: number) => void;
}

interface ListPage {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly total: number;
  /** Whether the list ends with the page. */
  readonly isEnd: boolean;
}

/** A source without what is newer than an order. */
const endingAt =
  (order: string) =>
  (source: Source): Source => {
    const { ":to": to, ...values } = source.ExpressionAttributeValues ?? {};
    return {
      ...source,
      ExpressionAttributeValues: { ...values, ":to": typeof to === "string" && to < order ? to : order },
    };
  };

/** A list that is not longer is counted while its page is read: its total does not lag. */
const readAhead = 50;

/** From here on only keys are read of what comes before the page. */
const deep = 200;

/** What a source is asked for at first at most: a page of 1 MB has fewer. */
const mostFirst = 10_000;

/**
 * A page of a list, the newest first, and the number of all: exact when the list ends with the page or soon after, else as
 * counters say, and never below what is told of.
 *
 * @throws what `onRead` throws.
 */
export const listPage = async (
  database: Database,
  { table, sort, sources }: ListSources,
  { limit, offset: before, after = null, counted, sparseness, onRead }: PageOfList,
): Promise<ListPage> => {
  const offset = after === null ? before : 0;
  let [seen, from]: [number, readonly Source[]] = [0, after === null ? sources : sources.map(endingAt(after))];
  if (offset > deep) {
    const keys = sources.map((source) => ({ ...source, ProjectionExpression: sort }));
    let last: unknown = undefined;
    for await (const item of newestFirst(database, table, keys, { sort, onRead })) {
      seen += 1;
      last = item[sort];
      if (seen === offset) break;
    }
    if (seen < offset) return { items: [], total: seen, isEnd: true };
    // The last before the page is read once more.
    seen -= 1;
    from = sources.map(endingAt(String(last)));
  }
  // One more tells whether the list ends.
  const wanted = Math.max(offset + limit, readAhead) + 1;
  const first = Math.min(mostFirst, Math.ceil(((wanted - seen) * sparseness) / Math.max(1, sources.length)));
  const items: Readonly<Record<string, unknown>>[] = [];
  for await (const item of newestFirst(database, table, from, { sort, first, onRead })) {
    if (item[sort] === after) continue;
    seen += 1;
    if (seen > offset && items.length < limit) items.push(item);
    if (seen === wanted) return { items, total: Math.max(counted, before + items.length, seen), isEnd: false };
  }
  // Behind an item, what was before it has not been counted.
  const total = after === null ? seen : Math.max(counted, before + seen);
  return { items, total, isEnd: seen <= offset + limit };
};
