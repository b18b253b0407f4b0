import * as v from "valibot";
import type { Membership } from "../../domain/access/membership.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { type Role, roles } from "../../domain/access/role.ts";
import type { Item } from "../../dynamo/items.ts";
import { accessItems } from "./items.ts";
import { memberKey, organizationKey, organizationPartition, prefixes } from "./keys.ts";
import { orderedPage } from "./page.ts";
import { auditWrite } from "./audit-writes.ts";
import type { Database } from "../../dynamo/database.ts";
import { roleChangeWrites, leaveWrites, ownerCountWrite } from "./membership-writes.ts";

/** Store of the memberships of users in organizations. */
export interface Members {
  /** Reads a user's role in an existing organization; null for a user who is not a member. */
  role(organizationId: string, userId: string): Promise<Role | null>;
  find(organizationId: string, userId: string): Promise<Membership | null>;
  /** Lists the members of an organization, oldest membership first. */
  page(organizationId: string, at: PageRequest): Promise<Page<Membership>>;
  /** Changes a member's role. @returns false when the membership has changed meanwhile. */
  changeRole(membership: Membership, role: Role, actorId: string): Promise<boolean>;
  /**
   * Ends a membership.
   *
   * @returns `changed` when the membership has changed meanwhile, `last-owner` when the organization would have no
   *   owner left.
   */
  remove(membership: Membership, actorId: string): Promise<"removed" | "changed" | "last-owner">;
}

const membershipItem = v.object({
  pk: v.string(),
  sk: v.string(),
  role: v.picklist(roles),
  created_at: v.string(),
});

const membershipOf = (item: Item): Membership => {
  const { pk, sk, role, created_at: createdAt } = v.parse(membershipItem, item);
  const [organizationId, userId] = [pk.slice(organizationPartition("").length), sk.slice(prefixes.members.length)];
  return { organizationId, userId, role, createdAt };
};

export const memberStore = (database: Database, now: () => number = Date.now): Members => {
  const { get, list, write } = accessItems(database);

  const find: Members["find"] = async (organizationId, userId) => {
    const item = await get(memberKey(organizationId, userId));
    return item === undefined ? null : membershipOf(item);
  };

  return {
    find,

    role: async (organizationId, userId) => {
      const [membership, organization] = await Promise.all([
        find(organizationId, userId),
        get(organizationKey(organizationId)),
      ]);
      return organization === undefined || organization["deleted_at"] !== undefined ? null : (membership?.role ?? null);
    },

    page: async (organizationId, at) => {
      const members = await list({ pk: organizationPartition(organizationId), prefix: prefixes.members });
      return orderedPage(members.map(membershipOf), ({ userId }) => userId, "asc", at);
    },

    changeRole: async (membership, role, actorId) => {
      const { organizationId, userId: target, role: before } = membership;
      const failedWrites = await write([
        ...roleChangeWrites(membership, role),
        ownerCountWrite(organizationId, role === "OWNER" ? 1 : 0),
        auditWrite(
          {
            organizationId,
            actor: { kind: "user", userId: actorId },
            action: "member.role_changed",
            target,
            details: { before, role },
          },
          now(),
        ),
      ]);
      return failedWrites.size === 0;
    },

    remove: async (membership, actorId) => {
      const { organizationId, userId: target, role } = membership;
      const writes = leaveWrites(membership);
      const failedWrites = await write([
        ...writes,
        ownerCountWrite(organizationId, role === "OWNER" ? -1 : 0),
        auditWrite(
          {
            organizationId,
            actor: { kind: "user", userId: actorId },
            action: actorId === target ? "member.left" : "member.removed",
            target,
            details: { role },
          },
          now(),
        ),
      ]);
      if (failedWrites.size === 0) return "removed";
      return failedWrites.has(0) || role !== "OWNER" ? "changed" : "last-owner";
    },
  };
};
