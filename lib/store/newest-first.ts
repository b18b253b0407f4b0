import { QueryCommand, type QueryCommandInput, type QueryCommandOutput } from "@aws-sdk/lib-dynamodb";
import type { Database } from "./database.ts";
import type { TableName } from "./table.ts";

/** A partition that holds a part of a list. */
export type Source = Omit<QueryCommandInput, "TableName" | "Limit" | "ExclusiveStartKey" | "ScanIndexForward">;

type Item = Readonly<Record<string, unknown>>;

export interface ReadingOrder {
  /** The attribute that orders all sources, which has a text of its own in each item. */
  readonly sort: string;
  /** Items that a source is asked for at first; what a page of DynamoDB's holds when absent. */
  readonly first?: number;
  /** Called with how many items each request has read, filtered ones included; what it throws ends the reading. */
  readonly onRead?: (items: number) => void;
}

/** Items that a source is asked for once more: a request costs half a unit at least, a page of 1 MB has fewer than the most. */
const [leastMore, mostMore] = [4, 10_000];

/**
 * The items of several partitions in one order, the newest first. Each is read no further than the order needs: what it is
 * asked for later is a quarter of what it was asked for first, and twice as much each time.
 */
export const newestFirst = async function* (
  { client, table }: Database,
  name: TableName,
  sources: readonly Source[],
  { sort, first, onRead = () => undefined }: ReadingOrder,
): AsyncGenerator<Item> {
  const TableName = table(name);
  const lanes = sources.map((source) => ({
    source,
    items: [] as readonly Item[],
    at: 0,
    limit: first,
    more: Math.max(leastMore, Math.ceil((first ?? 0) / 4)),
    next: undefined as QueryCommandInput["ExclusiveStartKey"],
    ended: false,
  }));
  type Lane = (typeof lanes)[number];

  const fill = async (lane: Lane): Promise<void> => {
    while (lane.at === lane.items.length && !lane.ended) {
      const page: QueryCommandOutput = await client.send(
        new QueryCommand({
          TableName,
          ...lane.source,
          ScanIndexForward: false,
          ExclusiveStartKey: lane.next,
          Limit: lane.limit,
        }),
      );
      onRead(page.ScannedCount ?? 0);
      lane.items = page.Items ?? [];
      lane.at = 0;
      lane.next = page.LastEvaluatedKey;
      lane.ended = lane.next === undefined;
      if (lane.limit === undefined) continue;
      lane.limit = lane.more;
      lane.more = Math.min(mostMore, 2 * lane.more);
    }
  };

  const headOf = ({ items, at }: Lane): string => String(items[at]?.[sort]);

  for (;;) {
    await Promise.all(lanes.map(fill));
    const open = lanes.filter(({ items, at }) => at < items.length);
    const [one, ...others] = open;
    if (one === undefined) return;
    const newest = others.reduce((best, lane) => (headOf(lane) > headOf(best) ? lane : best), one);
    const item = newest.items[newest.at];
    newest.at += 1;
    if (item !== undefined) yield item;
  }
};
