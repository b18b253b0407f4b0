import type { AuditAction } from "../../domain/access/audit.ts";
import { hashApiKey, newApiKey } from "../../domain/access/identity.ts";
import { isUnscoped, type KeyScope } from "../../domain/access/key-scope.ts";
import { type Role, roles } from "../../domain/access/role.ts";
import { instantAt } from "../../domain/instant.ts";
import { keptHash, unrepeated, type Repeat } from "../../domain/repeat.ts";
import { absent, alive, type AccessWrite, type Item } from "./items.ts";
import { apiKeyEntryKey, apiKeyKey, keyExpiryKey, memberKey, organizationKey, projectKey } from "./keys.ts";
import { auditWrite } from "./audit-writes.ts";

/** Who makes a key, as what and by which deed. */
export interface KeyOrigin {
  readonly userId: string;
  /** What the maker is in the organization: it has to be so when the key is stored, and enough to make keys. */
  readonly role: Role;
  readonly action: Extract<AuditAction, "api_key.created" | "api_key.rotated">;
  /** By signing a command line in: such keys end with their maker's membership. */
  readonly signIn: boolean;
}

/** An API key that is to be made. */
export interface NewApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** Epoch milliseconds; null never expires. */
  readonly expiresAt: number | null;
  readonly scope: KeyScope;
  /** Null for the operator: then the key has no maker. */
  readonly origin: KeyOrigin | null;
  /** Of the request that makes it, where that can come again. */
  readonly repeat?: Repeat;
}

/** Why a key is not made. */
export type KeyObstacle = "made-before" | "no-organization" | "no-maker" | "no-project";

/** As much of a key as may be shown. */
const prefixLength = 10;

/** The organization is there, and lets members of that role make keys. */
const organizationCheck = (organizationId: string, role: Role | undefined): AccessWrite => {
  if (role === undefined) return { check: organizationKey(organizationId), when: alive };
  const enough = roles.slice(roles.indexOf(role)).map((least, at) => [`:least${at}`, least] as const);
  return {
    check: organizationKey(organizationId),
    when: `${alive} AND (attribute_not_exists(key_makers) OR key_makers IN (${enough.map(([name]) => name).join(", ")}))`,
    values: Object.fromEntries(enough),
  };
};

const scopeAttributes = ({ access, projectId }: KeyScope): Item => ({
  ...(access !== "full" && { access }),
  ...(projectId !== null && { project: projectId }),
});

const makerAttributes = (origin: KeyOrigin | null): Item =>
  origin === null ? {} : { maker: origin.userId, ...(origin.signIn && { sign_in: true }) };

/** What the audit says of a new key. */
const auditDetails = ({ name, scope: { access, projectId }, origin }: NewApiKey): Record<string, string> => ({
  name,
  access,
  ...(projectId !== null && { project: projectId }),
  ...(origin?.signIn === true && { sign_in: "true" }),
});

/**
 * A new key and the transaction that stores it.
 *
 * @param now epoch milliseconds.
 * @returns `obstacle` tells from the positions of the writes that failed why there is no key.
 */
export const makingKey = (
  made: NewApiKey,
  now: number,
): {
  readonly key: string;
  readonly prefix: string;
  readonly item: Item;
  readonly writes: readonly AccessWrite[];
  readonly obstacle: (failed: ReadonlySet<number>) => KeyObstacle;
} => {
  const { id, organizationId, name, expiresAt, scope, origin, repeat = unrepeated } = made;
  const key = newApiKey(!isUnscoped(scope));
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
    ...scopeAttributes(scope),
    ...makerAttributes(origin),
  };
  const writes: readonly (readonly [KeyObstacle, AccessWrite])[] = [
    ["made-before", { put: item, when: absent }],
    [
      "made-before",
      {
        put: {
          ...apiKeyEntryKey(organizationId, id),
          hash,
          created_at,
          ...makerAttributes(origin),
          ...keptHash(repeat),
        },
        when: absent,
      },
    ],
    ...(expiresAt === null
      ? []
      : [
          [
            "made-before",
            { put: { ...keyExpiryKey(id), organization: organizationId, ttl: Math.ceil(expiresAt / 1000) } },
          ] as const,
        ]),
    [origin === null ? "no-organization" : "no-maker", organizationCheck(organizationId, origin?.role)],
    ...(scope.projectId === null ? [] : [["no-project", { check: projectKey(scope.projectId), when: alive }] as const]),
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
            "made-before",
            auditWrite(
              {
                organizationId,
                by: { kind: "user", userId: origin.userId },
                action: origin.action,
                target: id,
                details: auditDetails(made),
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
    obstacle: (failed) => writes.find((_, at) => failed.has(at))?.[0] ?? "made-before",
  };
};
