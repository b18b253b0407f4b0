import { forbidden, type FullRole, type Role, roles } from "./role.ts";

/** Access levels of an API key: full use of its organization's data plane, reading only, sending traces only, or labelling only. */
export const keyAccesses = ["full", "read", "ingest", "label"] as const;
export type KeyAccess = (typeof keyAccesses)[number];

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

/**
 * Permission that a route requires of an API key or a member: reading, sending traces, changing data and spending money, or
 * labelling traces without seeing verdicts. `read_or_label` is for what readers and labellers may both see.
 */
export type Permission = "read" | "ingest" | "write" | "label" | "read_or_label";

const permissionsByAccess: Readonly<Record<KeyAccess, ReadonlySet<Permission>>> = {
  full: new Set<Permission>(["read", "ingest", "write", "label", "read_or_label"]),
  read: new Set<Permission>(["read", "read_or_label"]),
  ingest: new Set<Permission>(["ingest"]),
  label: new Set<Permission>(["label", "read_or_label"]),
};

/** True if an API key with an access level has a permission. */
export const hasPermission = (access: KeyAccess, permission: Permission): boolean =>
  permissionsByAccess[access].has(permission);

const limitTexts: Readonly<Record<KeyAccess, string>> = {
  full: "do what its project allows",
  read: "read",
  ingest: "send traces",
  label: "label traces",
};

/** Returns the access level of an API key that may do what a member of a role may do with an organization's data. */
const accessOfRole = (role: Role): KeyAccess => (role === "LABELLER" ? "label" : "full");

/**
 * Checks that an API key, or a member with the access of their role, has a permission.
 *
 * @param permission required by the route; `write` if the route declares none.
 * @throws Refusal `forbidden` if the caller does not have it.
 */
export const requirePermission = (
  { access }: Pick<KeyScope, "access">,
  permission: Permission = "write",
  subject = "This API key",
): void => {
  if (!hasPermission(access, permission)) throw forbidden(`${subject} may only ${limitTexts[access]}.`);
};

/** Checks that a member has a permission by their role. @throws Refusal `forbidden` if they do not have it. */
export const requireMemberPermission = (role: Role, permission: Permission | undefined): void =>
  requirePermission({ access: accessOfRole(role) }, permission, "Your role");

/**
 * Returns the reason for which a caller may not store scores; null if they may. Storing a score needs the permission `write`,
 * also within a request that needs less.
 *
 * @param access access of the caller's API key; null for a user.
 */
export const scoreFlaw = (access: KeyAccess | null): string | null =>
  access === null || hasPermission(access, "write")
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
export const canCreateKeys = (role: FullRole, minimumRole: FullRole): boolean =>
  roles.indexOf(role) <= roles.indexOf(minimumRole);

/** Returns the refusal for a member whose role does not allow creating API keys. */
export const cannotCreateKeys = () => forbidden("Your role does not allow creating API keys in this organization.");
