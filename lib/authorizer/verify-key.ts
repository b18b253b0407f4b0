import { hashApiKey, isWellFormedApiKey } from "../domain/access/identity.ts";
import type { KeyScope } from "../domain/access/key-scope.ts";
import { faultFields, logLine } from "../log.ts";
import { type ApiKey, type ApiKeys, useRecordInterval } from "../store/access/api-keys.ts";

/** Lifetime of a cached API key; a revocation takes effect everywhere within this time. */
const cacheMilliseconds = 5_000;
const cacheSize = 5_000;

/** Owner and scope of a verified API key, or the reason of its refusal. */
type KeyVerification =
  | {
      readonly kind: "key";
      readonly keyId: string;
      readonly organizationId: string;
      readonly scope: KeyScope;
      readonly maker: string | null;
      /** Resolves once the time of the key's use has been recorded; never rejects. */
      readonly useRecorded: Promise<void>;
    }
  | { readonly kind: "refused"; readonly detail: string };

/**
 * Time during which an unknown key is refused without a read, so that a repeated bad key costs one read in this time. A valid
 * key is stored before the client gets it, so that it is never cached as unknown.
 */
const unknownMilliseconds = 30_000;
const unknownLimit = 10_000;

/** A stored key in the cache, until a time in epoch milliseconds. */
interface CachedKey {
  readonly key: ApiKey;
  readonly until: number;
  isUseRecorded: boolean;
}

/**
 * Returns a function that verifies API keys: form, existence, revocation (effective within 5 seconds) and expiry (exact).
 * Malformed keys are not looked up. Unknown, malformed and revoked keys are refused with the same message.
 *
 * @param maxUnknown number of unknown keys that are refused without a read; of more, the oldest are read again.
 */
export const keyVerifier = (keys: ApiKeys, now: () => number = Date.now, maxUnknown = unknownLimit) => {
  const cache = new Map<string, CachedKey>();

  /** Times in epoch milliseconds until which unknown keys are refused, by key hash in order of insertion. */
  const unknown = new Map<string, number>();

  const isUnknown = (hash: string): boolean => {
    const until = unknown.get(hash);
    if (until === undefined) return false;
    if (until > now()) return true;
    unknown.delete(hash);
    return false;
  };

  const addUnknown = (hash: string): void => {
    unknown.delete(hash);
    const [oldest] = unknown.keys();
    if (unknown.size >= maxUnknown && oldest !== undefined) unknown.delete(oldest);
    unknown.set(hash, now() + unknownMilliseconds);
  };

  /** Reads in progress by key hash. Concurrent requests share one read and so record the use of the key once. */
  const pendingReads = new Map<string, Promise<CachedKey | null>>();

  const readKey = async (hash: string): Promise<CachedKey | null> => {
    // Counted from before the read: a revocation during the read must not be missed for longer than 5 seconds.
    const until = now() + cacheMilliseconds;
    const key = await keys.find(hash);
    if (key === null) {
      cache.delete(hash);
      addUnknown(hash);
      return null;
    }
    if (cache.size >= cacheSize) cache.clear();
    const cached = { key, until, isUseRecorded: false };
    cache.set(hash, cached);
    return cached;
  };

  const cachedKey = (hash: string): Promise<CachedKey | null> => {
    const entry = cache.get(hash);
    if (entry !== undefined && entry.until > now()) return Promise.resolve(entry);
    const pendingRead = pendingReads.get(hash) ?? readKey(hash).finally(() => pendingReads.delete(hash));
    pendingReads.set(hash, pendingRead);
    return pendingRead;
  };

  const recordUse = async (hash: string, entry: CachedKey): Promise<void> => {
    const { lastUsedAt } = entry.key;
    if (entry.isUseRecorded || (lastUsedAt !== null && now() - lastUsedAt < useRecordInterval)) return;
    entry.isUseRecorded = true;
    try {
      await keys.recordUse(hash);
    } catch (error) {
      logLine("key_use_not_noted", faultFields(error));
    }
  };

  return async (value: string): Promise<KeyVerification> => {
    const invalid = { kind: "refused", detail: "Invalid or revoked API key." } as const;
    if (!isWellFormedApiKey(value)) return invalid;
    const hash = hashApiKey(value);
    if (isUnknown(hash)) return invalid;
    const entry = await cachedKey(hash);
    if (entry === null || entry.key.revoked) return invalid;
    const { id, organizationId, expiresAt, scope, maker } = entry.key;
    if (expiresAt !== null && expiresAt <= now()) {
      return { kind: "refused", detail: "API key has expired. Please generate a new one." };
    }
    return { kind: "key", keyId: id, organizationId, scope, maker, useRecorded: recordUse(hash, entry) };
  };
};
