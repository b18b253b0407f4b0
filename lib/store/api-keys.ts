import { GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { hashApiKey, newApiKey, randomId } from "../domain/identity.ts";
import { instantAt } from "../domain/instant.ts";
import { apiKeyEntryKey, apiKeyKey } from "./access-keys.ts";
import type { Database } from "./database.ts";
import { isConditionFailure } from "./failure.ts";

/** An API key as it is stored: everything but the key. */
export interface ApiKey {
  readonly id: string;
  readonly organizationId: string;
  /** Epoch milliseconds; null never expires. */
  readonly expiresAt: number | null;
  /** Epoch milliseconds, up to 5 minutes old; null when it was never used. */
  readonly lastUsedAt: number | null;
  readonly revoked: boolean;
}

export interface ApiKeys {
  /**
   * Makes a key.
   *
   * @param expiresAt epoch milliseconds; null never expires.
   * @returns the key itself, which cannot be read again.
   */
  create(
    organizationId: string,
    name: string,
    expiresAt?: number | null,
  ): Promise<{ readonly id: string; readonly key: string }>;
  /** The key with that hash, strongly read; null when there is none. */
  find(hash: string): Promise<ApiKey | null>;
  /** Revokes a key for ever, once or again. @returns false when the organization has none of that id. */
  revoke(organizationId: string, keyId: string): Promise<boolean>;
  /** Notes that a key is used now, unless a use of the last 5 minutes is noted. */
  noteUse(hash: string): Promise<void>;
}

/** The last use of a key is written at most this often. */
export const useMilliseconds = 300_000;

/** Noting a use is a courtesy: it may not hold up the answer for longer. */
const noteMilliseconds = 1000;

/** As much of a key as may be shown: `sk_as_` and four digits. */
const prefixLength = 10;

const item = v.object({
  id: v.string(),
  organization: v.string(),
  expires_at: v.nullable(v.number()),
  revoked_at: v.nullable(v.string()),
  last_used_at: v.optional(v.number()),
});

const entryItem = v.object({ hash: v.string() });

/**
 * Keys are found by their hash; an entry under the organization, written in the same transaction, lists them and leads
 * from a key's id to its hash.
 */
export const apiKeyStore = ({ client, table }: Database, now: () => number = Date.now): ApiKeys => {
  const get = async (key: { readonly pk: string; readonly sk: string }) => {
    const { Item } = await client.send(new GetCommand({ TableName: table("access"), Key: key, ConsistentRead: true }));
    return Item;
  };

  return {
    create: async (organizationId, name, expiresAt = null) => {
      const [id, key] = [randomId(), newApiKey()];
      const hash = hashApiKey(key);
      const stored = {
        ...apiKeyKey(hash),
        id,
        organization: organizationId,
        name,
        prefix: key.slice(0, prefixLength),
        created_at: instantAt(now()),
        expires_at: expiresAt,
        revoked_at: null,
      };
      const ConditionExpression = "attribute_not_exists(pk)";
      await client.send(
        new TransactWriteCommand({
          TransactItems: [
            { Put: { TableName: table("access"), Item: stored, ConditionExpression } },
            {
              Put: {
                TableName: table("access"),
                Item: { ...apiKeyEntryKey(organizationId, id), hash },
                ConditionExpression,
              },
            },
          ],
        }),
      );
      return { id, key };
    },

    find: async (hash) => {
      const found = await get(apiKeyKey(hash));
      if (found === undefined) return null;
      const stored = v.parse(item, found);
      return {
        id: stored.id,
        organizationId: stored.organization,
        expiresAt: stored.expires_at,
        lastUsedAt: stored.last_used_at ?? null,
        revoked: stored.revoked_at !== null,
      };
    },

    revoke: async (organizationId, keyId) => {
      const entry = await get(apiKeyEntryKey(organizationId, keyId));
      if (entry === undefined) return false;
      try {
        await client.send(
          new UpdateCommand({
            TableName: table("access"),
            Key: apiKeyKey(v.parse(entryItem, entry).hash),
            UpdateExpression: "SET revoked_at = :now",
            ConditionExpression: "attribute_exists(pk) AND revoked_at = :null",
            ExpressionAttributeValues: { ":now": instantAt(now()), ":null": null },
          }),
        );
      } catch (error) {
        if (!isConditionFailure(error)) throw error;
      }
      return true;
    },

    noteUse: async (hash) => {
      const at = now();
      try {
        await client.send(
          new UpdateCommand({
            TableName: table("access"),
            Key: apiKeyKey(hash),
            UpdateExpression: "SET last_used_at = :now",
            ConditionExpression:
              "attribute_exists(pk) AND (attribute_not_exists(last_used_at) OR last_used_at <= :due)",
            ExpressionAttributeValues: { ":now": at, ":due": at - useMilliseconds },
          }),
          { abortSignal: AbortSignal.timeout(noteMilliseconds) },
        );
      } catch (error) {
        if (!isConditionFailure(error)) throw error;
      }
    },
  };
};
