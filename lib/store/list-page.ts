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
  /** How many there are as counters say. */
  readonly counted: number;
  /** Items that are read for each that matches, on average. */
  readonly sparseness: number;
  readonly onRead: (items: number) => void;
}

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
  { limit, offset, counted, sparseness, onRead }: PageOfList,
): Promise<{ readonly items: readonly Readonly<Record<string, unknown>>[]; readonly total: number }> => {
  let [seen, from]: [number, readonly Source[]] = [0, sources];
  if (offset > deep) {
    const keys = sources.map((source) => ({ ...source, ProjectionExpression: sort }));
    let last: unknown = undefined;
    for await (const item of newestFirst(database, table, keys, { sort, onRead })) {
      seen += 1;
      last = item[sort];
      if (seen === offset) break;
    }
    if (seen < offset) return { items: [], total: seen };
    // The last before the page is read once more.
    seen -= 1;
    from = sources.map((source) => ({
      ...source,
      ExpressionAttributeValues: { ...source.ExpressionAttributeValues, ":to": last },
    }));
  }
  // One more tells whether the list ends.
  const wanted = Math.max(offset + limit, readAhead) + 1;
  const first = Math.min(mostFirst, Math.ceil(((wanted - seen) * sparseness) / Math.max(1, sources.length)));
  const items: Readonly<Record<string, unknown>>[] = [];
  for await (const item of newestFirst(database, table, from, { sort, first, onRead })) {
    seen += 1;
    if (seen > offset && items.length < limit) items.push(item);
    if (seen === wanted) return { items, total: Math.max(counted, seen) };
  }
  return { items, total: seen };
};
