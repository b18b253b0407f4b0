import type { AuditAction } from "../../domain/access/audit.ts";
import { hashApiKey, newApiKey } from "../../domain/access/identity.ts";
import { isFullScope, type KeyScope } from "../../domain/access/key-scope.ts";
import { type FullRole, fullRoles } from "../../domain/access/role.ts";
import { instantAt } from "../../domain/instant.ts";
import { bodyHashAttribute, noIdempotency, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { ifAbsent, type Write, type Item } from "../../dynamo/items.ts";
import { ifNotDeleted } from "./items.ts";
import { apiKeyEntryKey, apiKeyKey, keyExpiryKey, memberKey, organizationKey, projectKey } from "./keys.ts";
import { auditWrite } from "./audit-writes.ts";

/** Creator of an API key: the user, their role, and the audited action that creates it. */
export interface KeyOrigin {
  readonly userId: string;
  /**
   * Role of the creator in the organization. Checked when the key is stored: still the same and sufficient to create
   * keys.
   */
  readonly role: FullRole;
  readonly action: Extract<AuditAction, "api_key.created" | "api_key.rotated">;
  /** True for a key of a CLI sign-in: such keys are revoked when their creator's membership ends. */
  readonly signIn: boolean;
}

/** An API key to be created. */
export interface NewApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** Epoch milliseconds; null never expires. */
  readonly expiresAt: number | null;
  readonly scope: KeyScope;
  /** Creator of the key; null for keys that the operator creates. */
  readonly origin: KeyOrigin | null;
  /** Replay of the request that creates the key, when it can be sent again. */
  readonly idempotency?: IdempotencyCheck;
}

/** Reason why a key is not created. */
export type KeyObstacle = "already-created" | "no-organization" | "no-maker" | "no-project";

/** Characters of a key that are stored readable and shown to users. */
const shownPrefixLength = 10;

/** Condition: the organization exists and allows members of that role to create keys. */
const organizationCheck = (organizationId: string, role: FullRole | undefined): Write => {
  if (role === undefined) return { check: organizationKey(organizationId), when: ifNotDeleted };
  const allowedRoles = fullRoles.slice(fullRoles.indexOf(role)).map((minRole, at) => [`:least${at}`, minRole] as const);
  return {
    check: organizationKey(organizationId),
    when: `${ifNotDeleted} AND (attribute_not_exists(key_makers) OR key_makers IN (${allowedRoles.map(([name]) => name).join(", ")}))`,
    values: Object.fromEntries(allowedRoles),
  };
};

const scopeAttributes = ({ access, projectId }: KeyScope): Item => ({
  ...(access !== "full" && { access }),
  ...(projectId !== null && { project: projectId }),
});

const makerAttributes = (origin: KeyOrigin | null): Item =>
  origin === null ? {} : { maker: origin.userId, ...(origin.signIn && { sign_in: true }) };

/** Details of a new key's audit event. */
const auditDetails = ({ name, scope: { access, projectId }, origin }: NewApiKey): Record<string, string> => ({
  name,
  access,
  ...(projectId !== null && { project: projectId }),
  ...(origin?.signIn === true && { sign_in: "true" }),
});

/**
 * Generates a new API key and the writes of the transaction that stores it.
 *
 * @param now epoch milliseconds.
 * @returns the key and its writes; `obstacle` maps the positions of failed writes to the reason.
 */
export const prepareApiKey = (
  newKey: NewApiKey,
  now: number,
): {
  readonly key: string;
  readonly prefix: string;
  readonly item: Item;
  readonly writes: readonly Write[];
  readonly obstacle: (failed: ReadonlySet<number>) => KeyObstacle;
} => {
  const { id, organizationId, name, expiresAt, scope, origin, idempotency = noIdempotency } = newKey;
  const key = newApiKey(!isFullScope(scope));
  const hash = hashApiKey(key);
  const prefix = key.slice(0, shownPrefixLength);
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
    ...scopeAttributes(scope),
    ...makerAttributes(origin),
  };
  const writes: readonly (readonly [KeyObstacle, Write])[] = [
    ["already-created", { put: item, when: ifAbsent }],
    [
      "already-created",
      {
        put: {
          ...apiKeyEntryKey(organizationId, id),
          hash,
          created_at,
          ...makerAttributes(origin),
          ...bodyHashAttribute(idempotency),
        },
        when: ifAbsent,
      },
    ],
    ...(expiresAt === null
      ? []
      : [
          [
            "already-created",
            { put: { ...keyExpiryKey(id), organization: organizationId, ttl: Math.ceil(expiresAt / 1000) } },
          ] as const,
        ]),
    [origin === null ? "no-organization" : "no-maker", organizationCheck(organizationId, origin?.role)],
    ...(scope.projectId === null
      ? []
      : [["no-project", { check: projectKey(scope.projectId), when: ifNotDeleted }] as const]),
    ...(origin === null
      ? []
      : ([
          [
            "no-maker",
            {
              check: memberKey(organizationId, origin.userId),
              when: "#role = :role",
              values: { ":role": origin.role },
            },
          ],
          [
            "already-created",
            auditWrite(
              {
                organizationId,
                actor: { kind: "user", userId: origin.userId },
                action: origin.action,
                target: id,
                details: auditDetails(newKey),
              },
              now,
            ),
          ],
        ] as const)),
  ];
  return {
    key,
    prefix,
    item,
    writes: writes.map(([, write]) => write),
    obstacle: (failed) => writes.find((_, at) => failed.has(at))?.[0] ?? "already-created",
  };
};
