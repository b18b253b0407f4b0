import { Refusal } from "../refusal.ts";

/** What a member of an organization may be, the most powerful first. */
export const roles = ["OWNER", "ADMIN", "MEMBER"] as const;
export type Role = (typeof roles)[number];

/** A refusal of what a caller's role does not allow. */
export const forbidden = (detail: string): Refusal => new Refusal({ kind: "forbidden", detail });

const requirement: Readonly<Record<Role, string>> = {
  OWNER: "Owner role required.",
  ADMIN: "Admin or Owner role required.",
  MEMBER: "You are not a member of this organization.",
};

/** The refusal of somebody who is no member of an organization, or of one that is not there: the same words for both. */
export const notMember = (): Refusal => forbidden(requirement.MEMBER);

/**
 * Lets a member in whose role is the least one asked for, or above it.
 *
 * @param role null for somebody who is no member.
 * @throws Refusal `forbidden` saying which role it takes.
 */
export const requireRole = (role: Role | null, least: Role = "MEMBER"): Role => {
  if (role === null) throw notMember();
  if (roles.indexOf(role) > roles.indexOf(least)) throw forbidden(requirement[least]);
  return role;
};
