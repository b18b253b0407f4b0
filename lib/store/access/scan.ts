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

/** Attributes that the scan reads, and the role of its function permits: those that the checks of the reconciliation parse. */
export const scannedAttributes: readonly string[] = [
  ["pk", "sk", "ttl", "id", "organization"],
  // API keys.
  ["expires_at", "maker", "revoked_at", "sign_in"],
  // Clients and their gateway keys.
  ["charged", "created_at", "holders", "plan", "value"],
  // Markers of invitations that were not announced.
  ["announced", "invitation"],
].flat();

const attributes = scannedAttributes.map((name) => `#${name}`).join(", ");

/** Returns a function that reads the table `access` page by page, eventually consistent. @param size items per page. */
export const accessScan =
  (database: Database, size: number) =>
  async (from: string | null): Promise<AccessPage> => {
    const start = from === null ? undefined : v.parse(key, JSON.parse(from));
    const { items, next } = await itemsOf(database, "access").scan({ attributes, limit: size, start, strongly: false });
    return { items, next: next === undefined ? null : JSON.stringify(v.parse(key, next)) };
  };
