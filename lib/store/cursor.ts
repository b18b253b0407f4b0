import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "./database.ts";
import type { TableName } from "./table.ts";

/** How far a worker has come in a list that it goes through again and again; null is its beginning. */
export interface Cursor {
  get(): Promise<string | null>;
  set(next: string | null): Promise<void>;
}

export interface CursorPlace {
  readonly table: TableName;
  /** Of the list. */
  readonly name: string;
  /** After so many seconds the list is begun anew. */
  readonly kept: number;
}

const item = v.object({ next: v.nullable(v.string()), ttl: v.number() });

export const cursorStore = (
  { client, table }: Database,
  { table: name, name: pk, kept }: CursorPlace,
  now: () => number = Date.now,
): Cursor => {
  const TableName = table(name);
  const Key = { pk, sk: "cursor" };
  return {
    get: async () => {
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      if (Item === undefined) return null;
      const { next, ttl } = v.parse(item, Item);
      return ttl * 1000 <= now() ? null : next;
    },
    set: async (next) => {
      const ttl = Math.floor(now() / 1000) + kept;
      await client.send(new PutCommand({ TableName, Item: { ...Key, next, ttl } }));
    },
  };
};
