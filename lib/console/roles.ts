/** Roles of an organization's members, the most powerful first. */
const roles = ["OWNER", "ADMIN", "MEMBER"] as const;
export type Role = (typeof roles)[number];

/** True if a role has at least the rights of the required one. */
export const isAtLeast = (role: Role, required: Role): boolean => roles.indexOf(role) <= roles.indexOf(required);
