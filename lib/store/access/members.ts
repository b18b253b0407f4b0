import * as v from "valibot";
import type { Membership } from "../../domain/access/membership.ts";
import type { Page, PageAt } from "../../domain/page.ts";
import { type Role, roles } from "../../domain/access/role.ts";
import { accessItems, type Item } from "./items.ts";
import { memberKey, organizationKey, organizationPartition, prefixes } from "./keys.ts";
import { orderedPage } from "./page.ts";
import { auditWrite } from "./audit-writes.ts";
import type { Database } from "../database.ts";
import { changingRole, leaving, ownersChange } from "./membership-writes.ts";

export interface Members {
  /** A user's role in an organization that is there; null for somebody who is no member. */
  role(organizationId: string, userId: string): Promise<Role | null>;
  find(organizationId: string, userId: string): Promise<Membership | null>;
  /** Members of an organization, the oldest membership first. */
  page(organizationId: string, at: PageAt): Promise<Page<Membership>>;
  /** Gives a member another role. @returns false when the membership is another one by now. */
  changeRole(membership: Membership, role: Role, by: string): Promise<boolean>;
  /** Ends a membership. @returns `changed` when it is another one by now, `last-owner` when no owner would remain. */
  remove(membership: Membership, by: string): Promise<"removed" | "changed" | "last-owner">;
}

const stored = v.object({
  pk: v.string(),
  sk: v.string(),
  role: v.picklist(roles),
  created_at: v.string(),
});

const membershipOf = (item: Item): Membership => {
  const { pk, sk, role, created_at: createdAt } = v.parse(stored, item);
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
      const members = await list(organizationPartition(organizationId), prefixes.members);
      return orderedPage(members.map(membershipOf), ({ userId }) => userId, "asc", at);
    },

    changeRole: async (membership, role, by) => {
      const { organizationId, userId: target, role: before } = membership;
      const failed = await write([
        ...changingRole(membership, role),
        ownersChange(organizationId, role === "OWNER" ? 1 : 0),
        auditWrite(
          {
            organizationId,
            by: { kind: "user", userId: by },
            action: "member.role_changed",
            target,
            details: { before, role },
          },
          now(),
        ),
      ]);
      return failed.size === 0;
    },

    remove: async (membership, by) => {
      const { organizationId, userId: target, role } = membership;
      const writes = leaving(membership);
      const failed = await write([
        ...writes,
        ownersChange(organizationId, role === "OWNER" ? -1 : 0),
        auditWrite(
          {
            organizationId,
            by: { kind: "user", userId: by },
            action: by === target ? "member.left" : "member.removed",
            target,
            details: { role },
          },
          now(),
        ),
      ]);
      if (failed.size === 0) return "removed";
      return failed.has(0) || role !== "OWNER" ? "changed" : "last-owner";
    },
  };
};
