import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../database.ts";

/** How far the sweeper has come in the list of all schedules; null is its beginning. */
export interface ScheduleCursor {
  get(): Promise<string | null>;
  set(next: string | null): Promise<void>;
}

const key = { pk: "schedules", sk: "cursor" };

/** A place in the list that is older may not be known any more; the list begins anew. */
const kept = 3_600;

const item = v.object({ next: v.nullable(v.string()), ttl: v.number() });

export const scheduleCursor = ({ client, table }: Database, now: () => number = Date.now): ScheduleCursor => ({
  get: async () => {
    const { Item } = await client.send(new GetCommand({ TableName: table("monitors"), Key: key }));
    if (Item === undefined) return null;
    const { next, ttl } = v.parse(item, Item);
    return ttl * 1000 <= now() ? null : next;
  },
  set: async (next) => {
    const Item = { ...key, next, ttl: Math.floor(now() / 1000) + kept };
    await client.send(new PutCommand({ TableName: table("monitors"), Item }));
  },
});
