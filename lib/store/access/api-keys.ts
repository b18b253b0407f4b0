import * as v from "valibot";
import { randomId } from "../../domain/access/identity.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { noIdempotency, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import type { Principal } from "../../domain/access/principal.ts";
import { keyAccesses, cannotCreateKeys, type KeyScope, fullScope } from "../../domain/access/key-scope.ts";
import { notFound, Refusal } from "../../domain/refusal.ts";
import type { Item } from "../../dynamo/items.ts";
import { accessItems } from "./items.ts";
import { apiKeyEntryKey, apiKeyKey, keyExpiryKey, organizationPartition, prefixes } from "./keys.ts";
import { orderedPage } from "./page.ts";
import { type KeyObstacle, type KeyOrigin, prepareApiKey } from "./api-key-writes.ts";
import { auditWrite } from "./audit-writes.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";

/** An API key as stored, without the key itself. */
export interface ApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** First characters of the key, which are shown to users. */
  readonly prefix: string;
  readonly createdAt: string;
  /** Epoch milliseconds; null never expires. */
  readonly expiresAt: number | null;
  /** Epoch milliseconds, up to 5 minutes old; null when the key was never used. */
  readonly lastUsedAt: number | null;
  readonly revoked: boolean;
  readonly scope: KeyScope;
  /**
   * Id of the user who created the key; null for the operator's keys and for keys stored before creators were
   * recorded.
   */
  readonly maker: string | null;
  /** True for a key created by a CLI sign-in. */
  readonly signIn: boolean;
}

/** Store of the API keys of organizations. */
export interface ApiKeys {
  /**
   * Creates a key.
   *
   * @param lifetime milliseconds from its creation; null never expires.
   * @param scope permissions of the key; full access when absent.
   * @param origin creator and id of the key; null for the operator.
   * @returns the key itself, which cannot be read again.
   * @throws Refusal `not-found` without the organization or the project, `conflict` when a key with that id exists,
   *   `forbidden` when the creator's role has changed or may not create keys; and the refusals of
   *   `origin.idempotency.checkReplay`.
   */
  create(
    organizationId: string,
    name: string,
    lifetime?: number | null,
    scope?: KeyScope,
    origin?: (KeyOrigin & { readonly id: string; readonly idempotency?: IdempotencyCheck }) | null,
  ): Promise<ApiKey & { readonly key: string }>;
  /** Reads the key with that hash, strongly consistent; null when there is none. */
  find(hash: string): Promise<ApiKey | null>;
  /** Reads an organization's key by id; null when the organization has no such key. */
  get(organizationId: string, keyId: string): Promise<ApiKey | null>;
  /** Lists an organization's keys, newest first, revoked keys included. */
  page(organizationId: string, at: PageRequest): Promise<Page<ApiKey>>;
  /** Lists the keys that a user created in an organization, without revoked and expired ones. */
  activeKeysOf(organizationId: string, userId: string): Promise<readonly ApiKey[]>;
  /** Revokes a key permanently; idempotent. @returns false when the organization has no key with that id. */
  revoke(organizationId: string, keyId: string, actor?: Principal | null): Promise<boolean>;
  /** Deletes a key and its list entry. @returns false when the organization has no key with that id. */
  remove(organizationId: string, keyId: string, actor: Principal): Promise<boolean>;
  /** Records that a key is used now, unless a use within the last 5 minutes is recorded. */
  recordUse(hash: string): Promise<void>;
}

/** Milliseconds between two writes of a key's last use. */
export const useRecordInterval = 300_000;

/** Timeout for recording a use, milliseconds: the record is optional and must not delay the response. */
const recordTimeoutMilliseconds = 1000;

const apiKeyItem = v.object({
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
  const { id, name, prefix, ...rest } = v.parse(apiKeyItem, item);
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
  "already-created": (id) =>
    new Refusal({
      kind: "conflict",
      detail: `This request has made its key before: ${id}. A key is shown once. Revoke it and make another one.`,
    }),
  "no-organization": () => notFound("Organization not found."),
  "no-maker": cannotCreateKeys,
  "no-project": () => notFound("Project not found."),
};

/**
 * Stores API keys by their hash. An entry under the organization, written in the same transaction, lists them and
 * maps a key's id to its hash.
 *
 * @param recordTimeout milliseconds that recording a use may take.
 */
export const apiKeyStore = (
  database: Database,
  now: () => number = Date.now,
  recordTimeout: number = recordTimeoutMilliseconds,
): ApiKeys => {
  const { get, list, update, write } = accessItems(database);

  const hashOf = async (organizationId: string, keyId: string): Promise<string | null> => {
    const entry = await get(apiKeyEntryKey(organizationId, keyId));
    return entry === undefined ? null : v.parse(entryItem, entry).hash;
  };

  const find: ApiKeys["find"] = async (hash) => {
    const item = await get(apiKeyKey(hash));
    return item === undefined ? null : apiKeyOf(item);
  };

  const entriesOf = async (organizationId: string) => {
    const entries = await list({ pk: organizationPartition(organizationId), prefix: prefixes.apiKeys });
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

    create: async (organizationId, name, lifetime = null, scope = fullScope, origin = null) => {
      const at = now();
      const expiresAt = lifetime === null ? null : at + lifetime;
      const { id = randomId(), idempotency = noIdempotency } = origin ?? {};
      const { key, writes, item, obstacle } = prepareApiKey(
        { id, organizationId, name, expiresAt, scope, origin, idempotency },
        at,
      );
      const failedWrites = await write(writes);
      if (failedWrites.size === 0) return { ...apiKeyOf(item), key };
      const reason = obstacle(failedWrites);
      const before = reason === "already-created" ? await get(apiKeyEntryKey(organizationId, id)) : undefined;
      if (before !== undefined) idempotency.checkReplay(v.parse(entryItem, before).bh ?? null);
      throw refusals[reason](id);
    },

    get: async (organizationId, keyId) => {
      const hash = await hashOf(organizationId, keyId);
      return hash === null ? null : find(hash);
    },

    page: async (organizationId, at) => {
      const entries = await entriesOf(organizationId);
      const { items, ...page } = orderedPage(entries, ({ id }) => id, "desc", at);
      const keys = new Map((await withHashes(items)).map((each) => [each.id, each]));
      return { ...page, items: items.flatMap(({ id }) => keys.get(id) ?? []) };
    },

    activeKeysOf: async (organizationId, userId) => {
      const createdKeys = await withHashes((await entriesOf(organizationId)).filter(({ maker }) => maker === userId));
      const at = now();
      return createdKeys.filter(({ revoked, expiresAt }) => !revoked && (expiresAt === null || expiresAt > at));
    },

    revoke: async (organizationId, keyId, actor = null) => {
      const hash = await hashOf(organizationId, keyId);
      if (hash === null) return false;
      // For a key that is already revoked the condition fails, and nothing changes.
      await write([
        {
          update: apiKeyKey(hash),
          change: "SET revoked_at = :now",
          when: "attribute_exists(pk) AND revoked_at = :null",
          values: { ":now": instantAt(now()), ":null": null },
        },
        ...(actor === null
          ? []
          : [auditWrite({ organizationId, actor, action: "api_key.revoked", target: keyId }, now())]),
      ]);
      return true;
    },

    remove: async (organizationId, keyId, actor) => {
      const hash = await hashOf(organizationId, keyId);
      if (hash === null) return false;
      const failed = await write([
        { remove: apiKeyEntryKey(organizationId, keyId), when: "attribute_exists(pk)" },
        { remove: apiKeyKey(hash) },
        { remove: keyExpiryKey(keyId) },
        auditWrite({ organizationId, actor, action: "api_key.deleted", target: keyId }, now()),
      ]);
      return failed.size === 0;
    },

    recordUse: async (hash) => {
      const at = now();
      await ifConditionHolds(
        update(apiKeyKey(hash), "SET last_used_at = :now", {
          when: "attribute_exists(pk) AND (attribute_not_exists(last_used_at) OR last_used_at <= :due)",
          values: { ":now": at, ":due": at - useRecordInterval },
          signal: AbortSignal.timeout(recordTimeout),
        }),
      );
    },
  };
};
