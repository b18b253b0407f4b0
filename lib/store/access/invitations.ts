import * as v from "valibot";
import { mayInvite, type Invitation } from "../../domain/access/invitation.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Page, PageAt } from "../../domain/page.ts";
import { keptHash, unrepeated, type Repeat } from "../../domain/repeat.ts";
import { roles } from "../../domain/access/role.ts";
import { absent, accessItems, alive, type Item } from "./items.ts";
import {
  emailPartition,
  invitationEntryKey,
  invitationKey,
  memberKey,
  organizationKey,
  organizationPartition,
  pendingInvitationKey,
  prefixes,
} from "./keys.ts";
import { orderedPage } from "./page.ts";
import { auditWrite } from "./audit-writes.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { isLive } from "../is-live.ts";
import { invitationTtl } from "./invitation-expiry.ts";
import { joining, ownersChange } from "./membership-writes.ts";

export interface Invitations {
  /** @returns `there` for a repetition, `pending` when one waits for that address already, `gone` when the organization is. */
  create(invitation: Invitation, repeat?: Repeat): Promise<"made" | "there" | "pending" | "gone">;
  /**
   * The invitation that a request has made when it came before, as it was then.
   *
   * @throws Refusal as `repeat.met`.
   */
  madeBefore(id: string, repeat: Repeat): Promise<Invitation | null>;
  /** @returns null also of one that expired 30 days ago, unless it was accepted. */
  find(id: string): Promise<Invitation | null>;
  /** An organization's invitations, newest first: those that nobody has accepted until 30 days after they expired. */
  page(organizationId: string, at: PageAt): Promise<Page<Invitation>>;
  /** The invitations that wait for an address (in lower case), whatever their organization, newest first. */
  waiting(email: string): Promise<readonly Invitation[]>;
  /** Ends a pending invitation otherwise than by acceptance. @returns false when it is not pending any more. */
  end(invitation: Invitation, status: "DECLINED" | "REVOKED", by: string): Promise<boolean>;
  /**
   * Makes the user a member.
   *
   * @returns `processed` when it is not pending any more, `gone` with its organization, `unknown` when the user is removed,
   *   `withdrawn` when who invited may not any more.
   */
  accept(
    invitation: Invitation,
    userId: string,
  ): Promise<"accepted" | "processed" | "member" | "unknown" | "gone" | "withdrawn">;
}

const stored = v.object({
  id: v.string(),
  organization: v.string(),
  email: v.string(),
  role: v.picklist(roles),
  status: v.picklist(["PENDING", "ACCEPTED", "DECLINED", "REVOKED"]),
  invited_by: v.string(),
  created_at: v.string(),
  expires_at: v.number(),
  bh: v.optional(v.string()),
});

const entry = v.object({ sk: v.string(), created_at: v.string() });

const pending = v.object({ invitation: v.string() });

const invitationOf = (item: Item): Invitation => {
  const { organization, invited_by, created_at, expires_at, bh: _, ...rest } = v.parse(stored, item);
  return { ...rest, organizationId: organization, invitedBy: invited_by, createdAt: created_at, expiresAt: expires_at };
};

const isPending = { when: "#status = :pending", values: { ":pending": "PENDING" } } as const;

export const invitationStore = (database: Database, now: () => number = Date.now): Invitations => {
  const { get, list, write } = accessItems(database);

  const find: Invitations["find"] = async (id) => {
    const item = await get(invitationKey(id));
    return item === undefined || !isLive(item, now()) ? null : invitationOf(item);
  };

  const withIds = async (ids: readonly string[]): Promise<readonly Invitation[]> => {
    const items = await batchGet(database, "access", ids.map(invitationKey));
    return items.filter((item) => isLive(item, now())).map(invitationOf);
  };

  const settling = ({ id, email, organizationId }: Invitation, status: Invitation["status"]) =>
    [
      {
        update: invitationKey(id),
        // A member's invitation stays, as long as its organization.
        change: status === "ACCEPTED" ? "SET #status = :status REMOVE #ttl" : "SET #status = :status",
        when: isPending.when,
        values: { ...isPending.values, ":status": status },
      },
      {
        remove: pendingInvitationKey(email, organizationId),
        when: "attribute_not_exists(pk) OR invitation = :id",
        values: { ":id": id },
      },
    ] as const;

  return {
    find,

    madeBefore: async (id, repeat) => {
      const item = await get(invitationKey(id));
      if (item === undefined) return null;
      repeat.met(v.parse(stored, item).bh ?? null);
      return { ...invitationOf(item), status: "PENDING" };
    },

    create: async (invitation, repeat = unrepeated) => {
      const { id, organizationId, email, role, status, invitedBy, createdAt, expiresAt } = invitation;
      const item = { id, organization: organizationId, email, role, status, invited_by: invitedBy };
      const ttl = invitationTtl(expiresAt);
      const times = { created_at: createdAt, expires_at: expiresAt, ttl };
      const failed = await write([
        { put: { ...invitationKey(id), ...item, ...times, ...keptHash(repeat) }, when: absent },
        { put: { ...invitationEntryKey(organizationId, id), created_at: createdAt, ttl } },
        {
          put: { ...pendingInvitationKey(email, organizationId), invitation: id, expires_at: expiresAt, ttl },
          when: `${absent} OR expires_at <= :now`,
          values: { ":now": now() },
        },
        { check: organizationKey(organizationId), when: alive },
        auditWrite(
          {
            organizationId,
            by: { kind: "user", userId: invitedBy },
            action: "invitation.created",
            target: id,
            details: { email, role },
          },
          now(),
        ),
      ]);
      if (failed.size === 0) return "made";
      if (failed.has(0)) return "there";
      return failed.has(3) ? "gone" : "pending";
    },

    page: async (organizationId, at) => {
      const entries = await list(organizationPartition(organizationId), prefixes.invitations);
      const known = entries
        .filter((item) => isLive(item, now()))
        .map((item) => {
          const { sk, created_at: createdAt } = v.parse(entry, item);
          return { id: sk.slice(prefixes.invitations.length), createdAt };
        });
      const { items, ...page } = orderedPage(known, ({ id }) => id, "desc", at);
      const found = new Map((await withIds(items.map(({ id }) => id))).map((each) => [each.id, each]));
      return { ...page, items: items.flatMap(({ id }) => found.get(id) ?? []) };
    },

    waiting: async (email) => {
      const items = await list(emailPartition(email), prefixes.invitations);
      const found = await withIds(items.map((item) => v.parse(pending, item).invitation));
      const open = found.filter(({ status, expiresAt }) => status === "PENDING" && expiresAt > now());
      return orderedPage(open, ({ id }) => id, "desc", { limit: open.length, offset: 0, after: null }).items;
    },

    end: async (invitation, status, by) => {
      const failed = await write([
        ...settling(invitation, status),
        auditWrite(
          {
            organizationId: invitation.organizationId,
            by: { kind: "user", userId: by },
            action: status === "DECLINED" ? "invitation.declined" : "invitation.revoked",
            target: invitation.id,
          },
          now(),
        ),
      ]);
      return failed.size === 0;
    },

    accept: async (invitation, userId) => {
      const { id, organizationId, role, invitedBy } = invitation;
      // Who was removed has no membership to look at, and nobody else's may be looked at and made at once.
      if (invitedBy === userId) return "withdrawn";
      const inviters = roles.filter((each) => mayInvite(each, role));
      const [member, membership, count] = joining({ organizationId, userId, role, createdAt: instantAt(now()) });
      const failed = await write([
        ...settling(invitation, "ACCEPTED"),
        member,
        membership,
        // Who is removed at the same time becomes a member of nothing.
        { ...count, when: "attribute_exists(pk)" },
        ownersChange(organizationId, 0),
        auditWrite(
          {
            organizationId,
            by: { kind: "user", userId },
            action: "member.joined",
            target: userId,
            details: { invitation: id, role },
          },
          now(),
        ),
        { update: invitationEntryKey(organizationId, id), change: "REMOVE #ttl", when: "attribute_exists(pk)" },
        {
          check: memberKey(organizationId, invitedBy),
          when: inviters.map((_, index) => `#role = :inviter${index}`).join(" OR "),
          values: Object.fromEntries(inviters.map((each, index) => [`:inviter${index}`, each])),
        },
      ]);
      if (failed.size === 0) return "accepted";
      if (failed.has(0)) return "processed";
      if (failed.has(4)) return "unknown";
      if (failed.has(2)) return "member";
      return failed.has(8) && !failed.has(5) ? "withdrawn" : "gone";
    },
  };
};
