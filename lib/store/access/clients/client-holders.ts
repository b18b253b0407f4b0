import * as v from "valibot";
import { batchGet } from "../../batch-get.ts";
import type { Database } from "../../database.ts";
import type { Item } from "../items.ts";
import { apiKeyEntryKey, apiKeyKey, memberKey, type AccessKey } from "../keys.ts";

/** A client, as text (see `clientOf`), and an organization that may have it. */
export interface Holding {
  readonly client: string;
  readonly organization: string;
}

/** Tells of each whether the organization has the client: a member, or an API key that works. Strongly read. */
export type ClientHolders = (holdings: readonly Holding[]) => Promise<readonly boolean[]>;

const entryItem = v.object({ hash: v.string() });
const keyItem = v.object({
  revoked_at: v.optional(v.nullable(v.string())),
  expires_at: v.optional(v.nullable(v.number()), null),
});

const nameOf = ({ pk, sk }: AccessKey): string => JSON.stringify([pk, sk]);

/** Where an organization has a client: its member, or the entry that leads to its API key. */
const placeOf = ({ client, organization }: Holding): AccessKey => {
  const [kind = "", id = ""] = client.split("#");
  return kind === "user" ? memberKey(organization, id) : apiKeyEntryKey(organization, id);
};

export const clientHolders = (database: Database, now: () => number = Date.now): ClientHolders => {
  const found = async (keys: readonly AccessKey[]): Promise<ReadonlyMap<string, Item>> => {
    const distinct = new Map(keys.map((key) => [nameOf(key), key]));
    const items = await batchGet(database, "access", [...distinct.values()]);
    return new Map(items.map((item) => [JSON.stringify([item["pk"], item["sk"]]), item]));
  };

  return async (holdings) => {
    const places = await found(holdings.map(placeOf));
    const keyOf = (holding: Holding): AccessKey | null => {
      const entry = v.safeParse(entryItem, places.get(nameOf(placeOf(holding))));
      return entry.success ? apiKeyKey(entry.output.hash) : null;
    };
    const keys = await found(holdings.flatMap((holding) => keyOf(holding) ?? []));
    return holdings.map((holding) => {
      if (holding.client.startsWith("user#")) return places.has(nameOf(placeOf(holding)));
      const key = keyOf(holding);
      const item = v.safeParse(keyItem, key === null ? undefined : keys.get(nameOf(key)));
      if (!item.success) return false;
      const { revoked_at: revoked, expires_at: expiresAt } = item.output;
      return typeof revoked !== "string" && (expiresAt === null || expiresAt > now());
    });
  };
};
