/** What a member of an organization may be, the most powerful first. */
const roles = ["OWNER", "ADMIN", "MEMBER"] as const;
export type Role = (typeof roles)[number];

/** Whether a role is at least another one. */
export const isAtLeast = (role: Role, least: Role): boolean => roles.indexOf(role) <= roles.indexOf(least);
