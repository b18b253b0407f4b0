import { Refusal } from "../refusal.ts";

/** Roles that may use all data of their organization, the most powerful first. */
export const fullRoles = ["OWNER", "ADMIN", "MEMBER"] as const;
export type FullRole = (typeof fullRoles)[number];

/** Roles of a member in an organization, the most powerful first. A LABELLER may only label traces. */
export const roles = [...fullRoles, "LABELLER"] as const;
export type Role = (typeof roles)[number];

/** Creates the refusal of an action that the caller's role or key does not allow. */
export const forbidden = (detail: string): Refusal => new Refusal({ kind: "forbidden", detail });

const requirement: Readonly<Record<FullRole, string>> = {
  OWNER: "Owner role required.",
  ADMIN: "Admin or Owner role required.",
  MEMBER: "Member, Admin or Owner role required.",
};

/**
 * Returns the refusal for a caller who is not a member of an organization; the same if the organization does not
 * exist.
 */
export const notMember = (): Refusal => forbidden("You are not a member of this organization.");

/** Checks that a caller is a member of any role. @param role null if the caller is not a member. @throws Refusal `forbidden` otherwise. */
export const requireMember = (role: Role | null): Role => {
  if (role === null) throw notMember();
  return role;
};

/**
 * Checks that a member has at least a role.
 *
 * @param role null if the caller is not a member.
 * @throws Refusal `forbidden` naming the required role.
 */
export const requireRole = (role: Role | null, minimumRole: FullRole = "MEMBER"): FullRole => {
  const memberRole = requireMember(role);
  if (memberRole === "LABELLER" || roles.indexOf(memberRole) > roles.indexOf(minimumRole))
    throw forbidden(requirement[minimumRole]);
  return memberRole;
};
