import * as v from "valibot";
import type { Database } from "./database.ts";
import { itemsOf } from "./items.ts";
import type { TableName } from "./table.ts";

/** Position of a worker in a list that it traverses repeatedly; null is the beginning. */
export interface Cursor {
  get(): Promise<string | null>;
  set(next: string | null): Promise<void>;
}

/** Table, key and lifetime of the item in which a cursor is stored. */
export interface CursorLocation {
  readonly table: TableName;
  /** Name of the list; the partition key of the cursor's item. */
  readonly name: string;
  /** Seconds after the last change from which the cursor counts as expired and the list starts over. */
  readonly ttlSeconds: number;
}

const item = v.object({ next: v.nullable(v.string()), ttl: v.number() });

/** Stores the cursor of a worker, so that its next call continues where the last one ended. */
export const cursorStore = (
  database: Database,
  { table, name: pk, ttlSeconds }: CursorLocation,
  now: () => number = Date.now,
): Cursor => {
  const items = itemsOf(database, table);
  const key = { pk, sk: "cursor" };
  return {
    get: async () => {
      const storedItem = await items.get(key);
      if (storedItem === undefined) return null;
      const { next, ttl } = v.parse(item, storedItem);
      return ttl * 1000 <= now() ? null : next;
    },
    set: async (next) => {
      const ttl = Math.floor(now() / 1000) + ttlSeconds;
      await items.put({ ...key, next, ttl });
    },
  };
};
