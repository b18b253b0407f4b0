import { hashApiKey, looksLikeApiKey } from "../domain/access/identity.ts";
import type { KeyScope } from "../domain/access/key-scope.ts";
import { faultFields, logLine } from "../log.ts";
import { type ApiKey, type ApiKeys, useMilliseconds } from "../store/access/api-keys.ts";

/** A key that was revoked is refused everywhere within this time. */
const cacheMilliseconds = 5_000;
const cacheSize = 5_000;

/** A verified key's owner and what it is held to, or why it is refused. */
type KeyVerification =
  | {
      readonly kind: "key";
      readonly keyId: string;
      readonly organizationId: string;
      readonly scope: KeyScope;
      readonly maker: string | null;
      /** Ends when the use of the key is noted; it never fails. */
      readonly noted: Promise<void>;
    }
  | { readonly kind: "refused"; readonly detail: string };

/**
 * A key that was not found is not looked for again for so long: whoever repeats a bad one costs a read in this time. Nobody
 * has a key before it is written, so that no good one is among them.
 */
const unknownMilliseconds = 30_000;
const mostUnknown = 10_000;

interface RememberedKey {
  readonly key: ApiKey;
  readonly until: number;
  noted: boolean;
}

/**
 * Verifies API keys: form, existence, revocation (effective within 5 seconds), expiry (exact). What has not the form of a
 * key never reaches the database, and unknown, malformed and revoked keys are refused in the same words.
 */
export const keyVerifier = (keys: ApiKeys, now: () => number = Date.now) => {
  const cache = new Map<string, RememberedKey>();

  /** When what was not found may be looked for again, by hash; who was added first comes first. */
  const unknown = new Map<string, number>();

  const isUnknown = (hash: string): boolean => {
    const until = unknown.get(hash);
    if (until === undefined) return false;
    if (until > now()) return true;
    unknown.delete(hash);
    return false;
  };

  const noteUnknown = (hash: string): void => {
    unknown.delete(hash);
    const [oldest] = unknown.keys();
    if (unknown.size >= mostUnknown && oldest !== undefined) unknown.delete(oldest);
    unknown.set(hash, now() + unknownMilliseconds);
  };

  /** Requests that come at the same time share one read, and so one note of the key's use. */
  const asking = new Map<string, Promise<RememberedKey | null>>();

  const ask = async (hash: string): Promise<RememberedKey | null> => {
    // From before the read: a revocation that falls into it must not be missed for longer.
    const until = now() + cacheMilliseconds;
    const key = await keys.find(hash);
    if (key === null) {
      cache.delete(hash);
      noteUnknown(hash);
      return null;
    }
    if (cache.size >= cacheSize) cache.clear();
    const found = { key, until, noted: false };
    cache.set(hash, found);
    return found;
  };

  const recall = (hash: string): Promise<RememberedKey | null> => {
    const known = cache.get(hash);
    if (known !== undefined && known.until > now()) return Promise.resolve(known);
    const asked = asking.get(hash) ?? ask(hash).finally(() => asking.delete(hash));
    asking.set(hash, asked);
    return asked;
  };

  const noteUse = async (hash: string, known: RememberedKey): Promise<void> => {
    const { lastUsedAt } = known.key;
    if (known.noted || (lastUsedAt !== null && now() - lastUsedAt < useMilliseconds)) return;
    known.noted = true;
    try {
      await keys.noteUse(hash);
    } catch (error) {
      logLine("key_use_not_noted", faultFields(error));
    }
  };

  return async (value: string): Promise<KeyVerification> => {
    const invalid = { kind: "refused", detail: "Invalid or revoked API key." } as const;
    if (!looksLikeApiKey(value)) return invalid;
    const hash = hashApiKey(value);
    if (isUnknown(hash)) return invalid;
    const known = await recall(hash);
    if (known === null || known.key.revoked) return invalid;
    const { id, organizationId, expiresAt, scope, maker } = known.key;
    if (expiresAt !== null && expiresAt <= now()) {
      return { kind: "refused", detail: "API key has expired. Please generate a new one." };
    }
    return { kind: "key", keyId: id, organizationId, scope, maker, noted: noteUse(hash, known) };
  };
};
