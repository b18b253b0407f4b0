import { Refusal } from "../refusal.ts";

/** Roles of a member in an organization, the most powerful first. */
export const roles = ["OWNER", "ADMIN", "MEMBER"] as const;
export type Role = (typeof roles)[number];

/** Creates the refusal of an action that the caller's role or key does not allow. */
export const forbidden = (detail: string): Refusal => new Refusal({ kind: "forbidden", detail });

const requirement: Readonly<Record<Role, string>> = {
  OWNER: "Owner role required.",
  ADMIN: "Admin or Owner role required.",
  MEMBER: "You are not a member of this organization.",
};

/**
 * Returns the refusal for a caller who is not a member of an organization; the same if the organization does not
 * exist.
 */
export const notMember = (): Refusal => forbidden(requirement.MEMBER);

/**
 * Checks that a member has at least a role.
 *
 * @param role null if the caller is not a member.
 * @throws Refusal `forbidden` naming the required role.
 */
export const requireRole = (role: Role | null, minimumRole: Role = "MEMBER"): Role => {
  if (role === null) throw notMember();
  if (roles.indexOf(role) > roles.indexOf(minimumRole)) throw forbidden(requirement[minimumRole]);
  return role;
};
