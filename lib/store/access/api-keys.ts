import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { randomId } from "../../domain/access/identity.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Page, PageAt } from "../../domain/page.ts";
import { unrepeated, type Repeat } from "../../domain/repeat.ts";
import type { Principal } from "../../domain/access/principal.ts";
import { keyAccesses, noKeyMaker, type KeyScope, unscoped } from "../../domain/access/key-scope.ts";
import { notFound, Refusal } from "../../domain/refusal.ts";
import { accessItems, type Item } from "./items.ts";
import { apiKeyEntryKey, apiKeyKey, keyExpiryKey, organizationPartition, prefixes } from "./keys.ts";
import { orderedPage } from "./page.ts";
import { type KeyObstacle, type KeyOrigin, makingKey } from "./api-key-writes.ts";
import { auditWrite } from "./audit-writes.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { ifConditionHolds } from "../failure.ts";

/** An API key as it is stored: everything but the key. */
export interface ApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** As much of the key as may be shown. */
  readonly prefix: string;
  readonly createdAt: string;
  /** Epoch milliseconds; null never expires. */
  readonly expiresAt: number | null;
  /** Epoch milliseconds, up to 5 minutes old; null when it was never used. */
  readonly lastUsedAt: number | null;
  readonly revoked: boolean;
  readonly scope: KeyScope;
  /** The user who made it; null for the operator's, and for keys from before makers were kept. */
  readonly maker: string | null;
  /** Made by signing a command line in. */
  readonly signIn: boolean;
}

export interface ApiKeys {
  /**
   * Makes a key.
   *
   * @param lifetime milliseconds from its creation; null never expires.
   * @param scope what it is held to; everything when absent.
   * @param origin who makes it, and the id it is to have; null for the operator.
   * @returns the key itself, which cannot be read again.
   * @throws Refusal `not-found` without the organization or the project, `conflict` when there is a key of that id, `forbidden`
   *   when the maker is another by now, or may not make keys; as `origin.repeat.met`.
   */
  create(
    organizationId: string,
    name: string,
    lifetime?: number | null,
    scope?: KeyScope,
    origin?: (KeyOrigin & { readonly id: string; readonly repeat?: Repeat }) | null,
  ): Promise<ApiKey & { readonly key: string }>;
  /** The key with that hash, strongly read; null when there is none. */
  find(hash: string): Promise<ApiKey | null>;
  /** An organization's key; null when it is another's. */
  get(organizationId: string, keyId: string): Promise<ApiKey | null>;
  /** An organization's keys, revoked ones too, newest first. */
  page(organizationId: string, at: PageAt): Promise<Page<ApiKey>>;
  /** The keys that a user has made in an organization and that still work. */
  madeBy(organizationId: string, userId: string): Promise<readonly ApiKey[]>;
  /** Revokes a key for ever, once or again. @returns false when the organization has none of that id. */
  revoke(organizationId: string, keyId: string, by?: Principal | null): Promise<boolean>;
  /** Removes a key and the record of it. @returns false when the organization has none of that id. */
  remove(organizationId: string, keyId: string, by: Principal): Promise<boolean>;
  /** Notes that a key is used now, unless a use of the last 5 minutes is noted. */
  noteUse(hash: string): Promise<void>;
}

/** The last use of a key is written at most this often. */
export const useMilliseconds = 300_000;

/** Noting a use is a courtesy: it may not hold up the answer for longer. */
const noteMilliseconds = 1000;

const stored = v.object({
  id: v.string(),
  organization: v.string(),
  name: v.string(),
  prefix: v.string(),
  created_at: v.string(),
  expires_at: v.nullable(v.number()),
  revoked_at: v.nullable(v.string()),
  last_used_at: v.optional(v.number()),
  access: v.optional(v.picklist(keyAccesses), "full"),
  project: v.optional(v.string()),
  maker: v.optional(v.string()),
  sign_in: v.optional(v.boolean(), false),
});

const entryItem = v.object({
  sk: v.string(),
  hash: v.string(),
  created_at: v.optional(v.string(), ""),
  maker: v.optional(v.string()),
  bh: v.optional(v.string()),
});

const apiKeyOf = (item: Item): ApiKey => {
  const { id, name, prefix, ...rest } = v.parse(stored, item);
  return {
    id,
    organizationId: rest.organization,
    name,
    prefix,
    createdAt: rest.created_at,
    expiresAt: rest.expires_at,
    lastUsedAt: rest.last_used_at ?? null,
    revoked: rest.revoked_at !== null,
    scope: { access: rest.access, projectId: rest.project ?? null },
    maker: rest.maker ?? null,
    signIn: rest.sign_in,
  };
};

const refusals: Readonly<Record<KeyObstacle, (id: string) => Refusal>> = {
  "made-before": (id) =>
    new Refusal({
      kind: "conflict",
      detail: `This request has made its key before: ${id}. A key is shown once. Revoke it and make another one.`,
    }),
  "no-organization": () => notFound("Organization not found."),
  "no-maker": noKeyMaker,
  "no-project": () => notFound("Project not found."),
};

/**
 * Keys are found by their hash; an entry under the organization, written in the same transaction, lists them and leads
 * from a key's id to its hash.
 *
 * @param patience how long the noting of a use may take, in milliseconds
 */
export const apiKeyStore = (
  database: Database,
  now: () => number = Date.now,
  patience: number = noteMilliseconds,
): ApiKeys => {
  const { client, table } = database;
  const { get, list, write } = accessItems(database);

  const hashOf = async (organizationId: string, keyId: string): Promise<string | null> => {
    const entry = await get(apiKeyEntryKey(organizationId, keyId));
    return entry === undefined ? null : v.parse(entryItem, entry).hash;
  };

  const find: ApiKeys["find"] = async (hash) => {
    const found = await get(apiKeyKey(hash));
    return found === undefined ? null : apiKeyOf(found);
  };

  const entriesOf = async (organizationId: string) => {
    const entries = await list(organizationPartition(organizationId), prefixes.apiKeys);
    return entries.map((item) => {
      const { sk, hash, maker, created_at: createdAt } = v.parse(entryItem, item);
      return { id: sk.slice(prefixes.apiKeys.length), hash, maker, createdAt };
    });
  };

  const withHashes = async (entries: readonly { readonly hash: string }[]): Promise<readonly ApiKey[]> => {
    const items = await batchGet(
      database,
      "access",
      entries.map(({ hash }) => apiKeyKey(hash)),
    );
    return items.map(apiKeyOf);
  };

  return {
    find,

    create: async (organizationId, name, lifetime = null, scope = unscoped, origin = null) => {
      const at = now();
      const expiresAt = lifetime === null ? null : at + lifetime;
      const { id = randomId(), repeat = unrepeated } = origin ?? {};
      const { key, writes, item, obstacle } = makingKey(
        { id, organizationId, name, expiresAt, scope, origin, repeat },
        at,
      );
      const failed = await write(writes);
      if (failed.size === 0) return { ...apiKeyOf(item), key };
      const why = obstacle(failed);
      const before = why === "made-before" ? await get(apiKeyEntryKey(organizationId, id)) : undefined;
      if (before !== undefined) repeat.met(v.parse(entryItem, before).bh ?? null);
      throw refusals[why](id);
    },

    get: async (organizationId, keyId) => {
      const hash = await hashOf(organizationId, keyId);
      return hash === null ? null : find(hash);
    },

    page: async (organizationId, at) => {
      const known = await entriesOf(organizationId);
      const { items, ...page } = orderedPage(known, ({ id }) => id, "desc", at);
      const keys = new Map((await withHashes(items)).map((each) => [each.id, each]));
      return { ...page, items: items.flatMap(({ id }) => keys.get(id) ?? []) };
    },

    madeBy: async (organizationId, userId) => {
      const made = await withHashes((await entriesOf(organizationId)).filter(({ maker }) => maker === userId));
      const at = now();
      return made.filter(({ revoked, expiresAt }) => !revoked && (expiresAt === null || expiresAt > at));
    },

    revoke: async (organizationId, keyId, by = null) => {
      const hash = await hashOf(organizationId, keyId);
      if (hash === null) return false;
      // Revoked before: the condition fails, and there is nothing to do.
      await write([
        {
          update: apiKeyKey(hash),
          change: "SET revoked_at = :now",
          when: "attribute_exists(pk) AND revoked_at = :null",
          values: { ":now": instantAt(now()), ":null": null },
        },
        ...(by === null ? [] : [auditWrite({ organizationId, by, action: "api_key.revoked", target: keyId }, now())]),
      ]);
      return true;
    },

    remove: async (organizationId, keyId, by) => {
      const hash = await hashOf(organizationId, keyId);
      if (hash === null) return false;
      const failed = await write([
        { remove: apiKeyEntryKey(organizationId, keyId), when: "attribute_exists(pk)" },
        { remove: apiKeyKey(hash) },
        { remove: keyExpiryKey(keyId) },
        auditWrite({ organizationId, by, action: "api_key.deleted", target: keyId }, now()),
      ]);
      return failed.size === 0;
    },

    noteUse: async (hash) => {
      const at = now();
      await ifConditionHolds(
        client.send(
          new UpdateCommand({
            TableName: table("access"),
            Key: apiKeyKey(hash),
            UpdateExpression: "SET last_used_at = :now",
            ConditionExpression:
              "attribute_exists(pk) AND (attribute_not_exists(last_used_at) OR last_used_at <= :due)",
            ExpressionAttributeValues: { ":now": at, ":due": at - useMilliseconds },
          }),
          { abortSignal: AbortSignal.timeout(patience) },
        ),
      );
    },
  };
};
