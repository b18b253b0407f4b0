import type { Database } from "../../dynamo/database.ts";
import { newestFirst, type Source } from "./newest-first.ts";
import type { TableName } from "../../dynamo/table.ts";

/**
 * A list of items in one or more partitions. Each source is a query of one partition, whose upper bound of the sort
 * value is the expression value `:to`.
 */
export interface ListSources {
  readonly table: TableName;
  /** Attribute by which all sources are sorted. */
  readonly sort: string;
  readonly sources: readonly Source[];
}

export interface ListPageRequest {
  readonly limit: number;
  readonly offset: number;
  /** Sort value of the last item before the page; replaces `offset`. */
  readonly after?: string | null;
  /** Number of matching items, according to counters. */
  readonly counterTotal: number;
  /** Average number of items that must be read to find one matching item. */
  readonly sparseness: number;
  readonly onRead: (items: number) => void;
  /** Number of read items above which the read ends before the page is complete. */
  readonly maxReads?: number;
}

interface ListPage {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly total: number;
  /** True if the page is the last one. */
  readonly isEnd: boolean;
  /** False if the read ended at `maxReads`. */
  readonly isComplete: boolean;
}

/** Returns a function that excludes items newer than `order` from a source. */
const endingAt =
  (order: string) =>
  (source: Source): Source => {
    const { ":to": to, ...values } = source.values ?? {};
    return { ...source, values: { ...values, ":to": typeof to === "string" && to < order ? to : order } };
  };

/** Max items counted while a page is read: the total of a list up to this length does not lag. */
const exactCountItems = 50;

/** Offset above which only the keys of the items before the page are read. */
const keysOnlyOffset = 200;

/** Highest limit of the first request to a source: a page of 1 MB has fewer items. */
const maxFirstLimit = 10_000;

/**
 * Reads a page of a list, newest first, and the total. The total is exact when the list ends with the page or soon
 * after it; else it comes from counters, but is never below the number of items read.
 *
 * @throws the errors of `onRead`.
 */
export const listPage = async (
  database: Database,
  { table, sort, sources }: ListSources,
  { limit, offset: before, after = null, counterTotal, sparseness, onRead, maxReads = Infinity }: ListPageRequest,
): Promise<ListPage> => {
  const offset = after === null ? before : 0;
  let readCount = 0;
  const isOver = (): boolean => readCount > maxReads;
  const onRequest = (items: number): void => {
    readCount += items;
    if (!isOver()) onRead(items);
  };
  let [position, from]: [number, readonly Source[]] = [0, after === null ? sources : sources.map(endingAt(after))];
  if (offset > keysOnlyOffset) {
    const keys = sources.map((source) => ({ ...source, attributes: sort }));
    let last: unknown = undefined;
    for await (const item of newestFirst(database, table, keys, { sort, onRead: onRequest, isOver })) {
      position += 1;
      last = item[sort];
      if (position === offset) break;
    }
    if (position < offset) return { items: [], total: position, isEnd: true, isComplete: !isOver() };
    // The last item before the page is read again with the page.
    position -= 1;
    from = sources.map(endingAt(String(last)));
  }
  // One item more than needed shows whether the list continues.
  const endPosition = Math.max(offset + limit, exactCountItems) + 1;
  const first = Math.min(
    maxFirstLimit,
    Math.ceil(((endPosition - position) * sparseness) / Math.max(1, sources.length)),
  );
  const items: Readonly<Record<string, unknown>>[] = [];
  for await (const item of newestFirst(database, table, from, { sort, first, onRead: onRequest, isOver })) {
    if (item[sort] === after) continue;
    position += 1;
    if (position > offset && items.length < limit) items.push(item);
    if (position === endPosition)
      return { items, total: Math.max(counterTotal, before + items.length, position), isEnd: false, isComplete: true };
  }
  // A page requested by cursor (`after`) does not count the items before the cursor.
  const total = after === null ? position : Math.max(counterTotal, before + position);
  return { items, total, isEnd: position <= offset + limit, isComplete: !isOver() };
};
