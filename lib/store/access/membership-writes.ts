import type { Membership } from "../../domain/access/membership.ts";
import type { Role } from "../../domain/access/role.ts";
import { ifAbsent, type Write } from "../../dynamo/items.ts";
import { ifNotDeleted } from "./items.ts";
import { memberKey, membershipKey, organizationKey, userKey } from "./keys.ts";

/** Write that adds to the counters of a user: memberships, and organizations that the user owns. */
const membershipCountWrite = (userId: string, role: Role, number: 1 | -1): Write => ({
  update: userKey(userId),
  change: role === "OWNER" ? "ADD memberships :n, owned :n" : "ADD memberships :n",
  values: { ":n": number },
});

/** Writes of a new membership: under the organization, under the user, and on the user's own item. */
type JoinWrites = readonly [Write, Write, Write];

/**
 * Writes that make a user a member: the membership is stored under its organization and under its user, whose item
 * counts it. The first write fails when the user is already a member. The organization counts its owners: see
 * `ownerCountWrite`.
 */
export const joinWrites = ({ organizationId, userId, role, createdAt }: Membership): JoinWrites => {
  const member = { role, created_at: createdAt };
  return [
    { put: { ...memberKey(organizationId, userId), ...member }, when: ifAbsent },
    { put: { ...membershipKey(organizationId, userId), ...member } },
    membershipCountWrite(userId, role, 1),
  ];
};

/**
 * Writes that delete a membership with the given role, without the counters of the user's own item. The first write
 * fails when the user has another role or is not a member.
 */
export const endWrites = ({ organizationId, userId, role }: Membership): readonly Write[] => [
  { remove: memberKey(organizationId, userId), when: "#role = :role", values: { ":role": role } },
  { remove: membershipKey(organizationId, userId) },
];

/**
 * Writes that end a membership with the given role. The first write fails when the user has another role or is not a
 * member.
 */
export const leaveWrites = (membership: Membership): readonly Write[] => [
  ...endWrites(membership),
  membershipCountWrite(membership.userId, membership.role, -1),
];

/**
 * Writes that change a member's role. The first write fails when the member has another role by now or is not a
 * member.
 */
export const roleChangeWrites = (
  { organizationId, userId, role: before }: Membership,
  role: Role,
): readonly Write[] => [
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

/**
 * Write on the organization's item when a member joins, leaves or changes role. It fails unless the organization exists
 * and at least one owner remains.
 */
export const ownerCountWrite = (organizationId: string, owners: 1 | 0 | -1): Write =>
  owners === 0
    ? { check: organizationKey(organizationId), when: ifNotDeleted }
    : {
        update: organizationKey(organizationId),
        change: "ADD owners :change",
        when: owners < 0 ? `${ifNotDeleted} AND owners > :last` : ifNotDeleted,
        values: { ":change": owners, ...(owners < 0 && { ":last": 1 }) },
      };
