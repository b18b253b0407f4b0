import type { Membership } from "../../domain/access/membership.ts";
import type { Role } from "../../domain/access/role.ts";
import { absent, alive, type AccessWrite } from "./items.ts";
import { memberKey, membershipKey, organizationKey, userKey } from "./keys.ts";

/** How many of a user's memberships, and of those as owner, come or go. */
const counted = (userId: string, role: Role, number: 1 | -1): AccessWrite => ({
  update: userKey(userId),
  change: role === "OWNER" ? "ADD memberships :n, owned :n" : "ADD memberships :n",
  values: { ":n": number },
});

/** Writes under the organization, under the user and on the user. */
type Joining = readonly [AccessWrite, AccessWrite, AccessWrite];

/**
 * A user joins: the membership stands twice, under its organization and under its user, who counts it. The first write
 * fails when the user is a member already. The organization counts its owners: see `ownersChange`.
 */
export const joining = ({ organizationId, userId, role, createdAt }: Membership): Joining => {
  const member = { role, created_at: createdAt };
  return [
    { put: { ...memberKey(organizationId, userId), ...member }, when: absent },
    { put: { ...membershipKey(organizationId, userId), ...member } },
    counted(userId, role, 1),
  ];
};

/**
 * The membership of a user who has that role goes. The first write fails when the user has another one by now, or none. The
 * user's own item, which counts it, is the caller's to write.
 */
export const ending = ({ organizationId, userId, role }: Membership): readonly AccessWrite[] => [
  { remove: memberKey(organizationId, userId), when: "#role = :role", values: { ":role": role } },
  { remove: membershipKey(organizationId, userId) },
];

/** A user who has that role leaves. The first write fails when the user has another one by now, or none. */
export const leaving = (membership: Membership): readonly AccessWrite[] => [
  ...ending(membership),
  counted(membership.userId, membership.role, -1),
];

/** A member's role changes. The first write fails when the member has another one by now, or is gone. */
export const changingRole = (
  { organizationId, userId, role: before }: Membership,
  role: Role,
): readonly AccessWrite[] => [
  {
    update: memberKey(organizationId, userId),
    change: "SET #role = :role",
    when: "#role = :before",
    values: { ":role": role, ":before": before },
  },
  {
    update: membershipKey(organizationId, userId),
    change: "SET #role = :role",
    when: "attribute_exists(pk)",
    values: { ":role": role },
  },
  ...(role === "OWNER" ? [{ update: userKey(userId), change: "ADD owned :one", values: { ":one": 1 } } as const] : []),
];

/** The organization's part when a member comes, goes or changes: it is there, and one owner remains. */
export const ownersChange = (organizationId: string, owners: 1 | 0 | -1): AccessWrite =>
  owners === 0
    ? { check: organizationKey(organizationId), when: alive }
    : {
        update: organizationKey(organizationId),
        change: "ADD owners :change",
        when: owners < 0 ? `${alive} AND owners > :last` : alive,
        values: { ":change": owners, ...(owners < 0 && { ":last": 1 }) },
      };
