import { forbidden, type Role, roles } from "./role.ts";

/** Access levels of an API key: full use of its organization's data plane, reading only, or sending traces only. */
export const keyAccesses = ["full", "read", "ingest"] as const;
type KeyAccess = (typeof keyAccesses)[number];

/** Scopes that a key of the CLI sign-in can have. */
export const cliScopes = ["organization", "project"] as const;

/** Restrictions of an API key. */
export interface KeyScope {
  readonly access: KeyAccess;
  /** Id of the only project the key can access; null means every project of its organization. */
  readonly projectId: string | null;
}

/** The scope of a key without restrictions, as every key had before scopes existed. */
export const fullScope: KeyScope = { access: "full", projectId: null };

/** True if a key has no restrictions; only such a key creates a project by naming it in a request. */
export const isFullScope = ({ access, projectId }: KeyScope): boolean => access === "full" && projectId === null;

/** Permission that a route requires of an API key: reading, sending traces, or changing data and spending money. */
export type Permission = "read" | "ingest" | "write";

const permissionsByAccess: Readonly<Record<KeyAccess, ReadonlySet<Permission>>> = {
  full: new Set<Permission>(["read", "ingest", "write"]),
  read: new Set<Permission>(["read"]),
  ingest: new Set<Permission>(["ingest"]),
};

const limitTexts: Readonly<Record<KeyAccess, string>> = {
  full: "do what its project allows",
  read: "read",
  ingest: "send traces",
};

/**
 * Checks that an API key has a permission.
 *
 * @param permission required by the route; `write` if the route declares none.
 * @throws Refusal `forbidden` if the key does not have it.
 */
export const requirePermission = ({ access }: KeyScope, permission: Permission = "write"): void => {
  if (!permissionsByAccess[access].has(permission)) throw forbidden(`This API key may only ${limitTexts[access]}.`);
};

/**
 * Returns the reason for which a caller may not store scores; null if they may. Storing a score needs the permission `write`,
 * also within a request that needs less.
 *
 * @param access access of the caller's API key; null for a user.
 */
export const scoreFlaw = (access: KeyAccess | null): string | null =>
  access === null || permissionsByAccess[access].has("write")
    ? null
    : `This API key may only ${limitTexts[access]}; scores need a key with the access full.`;

/**
 * Checks that an API key may access a project.
 *
 * @param projectId null if no project has the requested name.
 * @throws Refusal `forbidden` for any other project, existing or not.
 */
export const requireProjectAccess = (scope: KeyScope, projectId: string | null): void => {
  if (scope.projectId === null || scope.projectId === projectId) return;
  throw forbidden("This API key is for another project.");
};

/** True if a member may create API keys. @param minimumRole lowest role that may, as set for the organization. */
export const canCreateKeys = (role: Role, minimumRole: Role): boolean =>
  roles.indexOf(role) <= roles.indexOf(minimumRole);

/** Returns the refusal for a member whose role does not allow creating API keys. */
export const cannotCreateKeys = () => forbidden("Your role does not allow creating API keys in this organization.");
