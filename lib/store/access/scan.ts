import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf, type Item } from "../../dynamo/items.ts";

/** A page of a scan of the table `access`. */
export interface AccessPage {
  readonly items: readonly Item[];
  /** Key after which the next page starts, as JSON; null at the end of the table. */
  readonly next: string | null;
}

const key = v.object({ pk: v.string(), sk: v.string() });

/** Returns a function that reads the table `access` page by page, eventually consistent. @param size items per page. */
export const accessScan =
  (database: Database, size: number) =>
  async (from: string | null): Promise<AccessPage> => {
    const start = from === null ? undefined : v.parse(key, JSON.parse(from));
    const { items, next } = await itemsOf(database, "access").scan({ limit: size, start, strongly: false });
    return { items, next: next === undefined ? null : JSON.stringify(v.parse(key, next)) };
  };
