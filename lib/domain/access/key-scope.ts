import { forbidden, type Role, roles } from "./role.ts";

/** What an API key may do: everything that its organization's data plane has, read, or send traces. */
export const keyAccesses = ["full", "read", "ingest"] as const;
type KeyAccess = (typeof keyAccesses)[number];

/** How far a key of a command line's sign-in reaches. */
export const cliScopes = ["organization", "project"] as const;

/** What a key is held to. */
export interface KeyScope {
  readonly access: KeyAccess;
  /** The one project that it reaches; null: every project of its organization. */
  readonly projectId: string | null;
}

/** What every key was before there were scopes. */
export const unscoped: KeyScope = { access: "full", projectId: null };

/** Whether a key may do everything, the making of projects by naming them included. */
export const isUnscoped = ({ access, projectId }: KeyScope): boolean => access === "full" && projectId === null;

/** What a route asks of a key: that it may read, send traces, or change what is there and spend money. */
export type Permission = "read" | "ingest" | "write";

const allowed: Readonly<Record<KeyAccess, ReadonlySet<Permission>>> = {
  full: new Set<Permission>(["read", "ingest", "write"]),
  read: new Set<Permission>(["read"]),
  ingest: new Set<Permission>(["ingest"]),
};

const mayOnly: Readonly<Record<KeyAccess, string>> = {
  full: "do what its project allows",
  read: "read",
  ingest: "send traces",
};

/** @param permission what the route asks for; what asks for nothing is for keys that may do all. @throws Refusal `forbidden`. */
export const requirePermission = ({ access }: KeyScope, permission: Permission = "write"): void => {
  if (!allowed[access].has(permission)) throw forbidden(`This API key may only ${mayOnly[access]}.`);
};

/** @param projectId null where there is no project of the name. @throws Refusal `forbidden`, whether it is there or not. */
export const requireReach = (scope: KeyScope, projectId: string | null): void => {
  if (scope.projectId === null || scope.projectId === projectId) return;
  throw forbidden("This API key is for another project.");
};

/** Whether a member may make keys, where `makers` is the least role that may. */
export const mayMakeKeys = (role: Role, makers: Role): boolean => roles.indexOf(role) <= roles.indexOf(makers);

/** Why a member may make no keys. */
export const noKeyMaker = () => forbidden("Your role may not make API keys in this organization.");
