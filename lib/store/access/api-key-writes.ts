import type { AuditAction } from "../../domain/access/audit.ts";
import { hashApiKey, newApiKey } from "../../domain/access/identity.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Principal } from "../../domain/access/principal.ts";
import { absent, alive, type AccessWrite, type Item } from "./items.ts";
import { apiKeyEntryKey, apiKeyKey, organizationKey } from "./keys.ts";
import { auditWrite } from "./audit-writes.ts";

/** An API key that is to be made. */
export interface NewApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** Epoch milliseconds; null never expires. */
  readonly expiresAt: number | null;
  /** Who makes it and by which deed, for the audit; null for the operator. */
  readonly origin: {
    readonly id: string;
    readonly by: Principal;
    readonly action: Extract<AuditAction, "api_key.created" | "api_key.rotated">;
  } | null;
}

/** As much of a key as may be shown: `sk_as_` and four digits. */
const prefixLength = 10;

/**
 * A new key and the transaction that stores it. Its second write fails when there is a key of that id, its third when the
 * organization is gone.
 *
 * @param now epoch milliseconds.
 */
export const makingKey = (
  { id, organizationId, name, expiresAt, origin }: NewApiKey,
  now: number,
): {
  readonly key: string;
  readonly prefix: string;
  readonly item: Item;
  readonly writes: readonly AccessWrite[];
} => {
  const key = newApiKey();
  const hash = hashApiKey(key);
  const prefix = key.slice(0, prefixLength);
  const created_at = instantAt(now);
  const item = {
    ...apiKeyKey(hash),
    id,
    organization: organizationId,
    name,
    prefix,
    created_at,
    expires_at: expiresAt,
    revoked_at: null,
  };
  return {
    key,
    prefix,
    item,
    writes: [
      { put: item, when: absent },
      { put: { ...apiKeyEntryKey(organizationId, id), hash, created_at }, when: absent },
      { check: organizationKey(organizationId), when: alive },
      ...(origin === null
        ? []
        : [auditWrite({ organizationId, by: origin.by, action: origin.action, target: id, details: { name } }, now)]),
    ],
  };
};
