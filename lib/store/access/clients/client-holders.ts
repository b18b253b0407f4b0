import * as v from "valibot";
import { batchGet } from "../../../dynamo/batches.ts";
import type { Database } from "../../../dynamo/database.ts";
import type { Item } from "../../../dynamo/items.ts";
import { apiKeyEntryKey, apiKeyKey, memberKey, type AccessKey } from "../keys.ts";

/** An organization, and an API client that may belong to it: a user or an API key, as text (see `clientOf`). */
export interface ClientHolding {
  readonly client: string;
  readonly organization: string;
}

/**
 * Returns true for each holding whose client belongs to the organization as a member or as an active API key. Read
 * strongly consistent.
 */
export type ClientHolders = (holdings: readonly ClientHolding[]) => Promise<readonly boolean[]>;

const entryItem = v.object({ hash: v.string() });
const keyItem = v.object({
  revoked_at: v.optional(v.nullable(v.string())),
  expires_at: v.optional(v.nullable(v.number()), null),
});

const keyText = ({ pk, sk }: AccessKey): string => JSON.stringify([pk, sk]);

/** Key of the item that ties a client to an organization: the membership, or the list entry of the API key. */
const holdingKey = ({ client, organization }: ClientHolding): AccessKey => {
  const [kind = "", id = ""] = client.split("#");
  return kind === "user" ? memberKey(organization, id) : apiKeyEntryKey(organization, id);
};

export const clientHolders = (database: Database, now: () => number = Date.now): ClientHolders => {
  const itemsByKey = async (keys: readonly AccessKey[]): Promise<ReadonlyMap<string, Item>> => {
    const distinct = new Map(keys.map((key) => [keyText(key), key]));
    const items = await batchGet(database, "access", [...distinct.values()]);
    return new Map(items.map((item) => [JSON.stringify([item["pk"], item["sk"]]), item]));
  };

  return async (holdings) => {
    const holdingItems = await itemsByKey(holdings.map(holdingKey));
    const keyOf = (holding: ClientHolding): AccessKey | null => {
      const entry = v.safeParse(entryItem, holdingItems.get(keyText(holdingKey(holding))));
      return entry.success ? apiKeyKey(entry.output.hash) : null;
    };
    const keys = await itemsByKey(holdings.flatMap((holding) => keyOf(holding) ?? []));
    return holdings.map((holding) => {
      if (holding.client.startsWith("user#")) return holdingItems.has(keyText(holdingKey(holding)));
      const key = keyOf(holding);
      const item = v.safeParse(keyItem, key === null ? undefined : keys.get(keyText(key)));
      if (!item.success) return false;
      const { revoked_at: revokedAt, expires_at: expiresAt } = item.output;
      return typeof revokedAt !== "string" && (expiresAt === null || expiresAt > now());
    });
  };
};
