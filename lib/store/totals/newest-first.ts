import type { Database } from "../../dynamo/database.ts";
import { itemsOf, type Item, type ItemPage, type Scan } from "../../dynamo/items.ts";
import type { TableName } from "../../dynamo/table.ts";

/** Query of one partition of a list. */
export type Source = Omit<Scan, "limit" | "start"> & { readonly where: string };

/** Options of a merged read of several partitions, newest item first. */
export interface NewestFirstOptions {
  /** Attribute by which all partitions are sorted: a text, unique to each item. */
  readonly sort: string;
  /** Limit of the first request to each source; absent for full DynamoDB pages. */
  readonly first?: number;
  /**
   * Called with the number of items each request has read, filtered ones included; an error that it throws ends the
   * iteration.
   */
  readonly onRead?: (items: number) => void;
  /** Asked after each request; true ends the iteration. */
  readonly isOver?: () => boolean;
}

/**
 * Bounds of the limit of later requests: a request costs half a read unit at least, and a page of 1 MB has fewer than
 * 10,000 items.
 */
const [minLaterLimit, maxLaterLimit] = [4, 10_000];

/**
 * Yields the items of several partitions in one order, newest first. Each partition is read only as far as the order
 * requires: the second request has a quarter of the first request's limit, which then doubles with each request.
 */
export const newestFirst = async function* (
  database: Database,
  name: TableName,
  sources: readonly Source[],
  { sort, first, onRead = () => undefined, isOver = () => false }: NewestFirstOptions,
): AsyncGenerator<Item> {
  const { page: read } = itemsOf(database, name);
  const lanes = sources.map((source) => ({
    source,
    items: [] as readonly Item[],
    at: 0,
    limit: first,
    laterLimit: Math.max(minLaterLimit, Math.ceil((first ?? 0) / 4)),
    next: undefined as ItemPage["next"],
    ended: false,
  }));
  type Lane = (typeof lanes)[number];

  const fill = async (lane: Lane): Promise<void> => {
    while (lane.at === lane.items.length && !lane.ended && !isOver()) {
      const page: ItemPage = await read({ ...lane.source, descending: true, start: lane.next, limit: lane.limit });
      onRead(page.scanned);
      lane.items = page.items;
      lane.at = 0;
      lane.next = page.next;
      lane.ended = lane.next === undefined;
      if (lane.limit === undefined) continue;
      lane.limit = lane.laterLimit;
      lane.laterLimit = Math.min(maxLaterLimit, 2 * lane.laterLimit);
    }
  };

  const headOf = ({ items, at }: Lane): string => String(items[at]?.[sort]);

  for (;;) {
    await Promise.all(lanes.map(fill));
    if (isOver()) return;
    const open = lanes.filter(({ items, at }) => at < items.length);
    const [firstLane, ...otherLanes] = open;
    if (firstLane === undefined) return;
    const newest = otherLanes.reduce((best, lane) => (headOf(lane) > headOf(best) ? lane : best), firstLane);
    const item = newest.items[newest.at];
    newest.at += 1;
    if (item !== undefined) yield item;
  }
};
