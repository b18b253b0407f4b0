import * as v from "valibot";
import { canStillInvite, type Invitation } from "../../domain/access/invitation.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { bodyHashAttribute, noIdempotency, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { roles } from "../../domain/access/role.ts";
import { ifAbsent, type Item } from "../../dynamo/items.ts";
import { accessItems, ifNotDeleted } from "./items.ts";
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
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { isLive } from "../../dynamo/is-live.ts";
import { joinWrites, ownerCountWrite } from "./membership-writes.ts";

/** Store of invitations of users to organizations. */
export interface Invitations {
  /**
   * Stores an invitation.
   *
   * @returns `made`; `there` when this request already created it, `pending` when another invitation for the address
   *   is pending, `gone` when the organization does not exist.
   */
  create(invitation: Invitation, repeat?: IdempotencyCheck): Promise<"made" | "there" | "pending" | "gone">;
  /**
   * Reads the invitation that an earlier delivery of the same request created, with its original status.
   *
   * @throws the refusals of `repeat.checkReplay`.
   */
  replay(id: string, repeat: IdempotencyCheck): Promise<Invitation | null>;
  /** Reads an invitation; null when it does not exist or expired more than 30 days ago without being accepted. */
  find(id: string): Promise<Invitation | null>;
  /**
   * Lists an organization's invitations, newest first. Invitations that were not accepted are listed until 30 days
   * after their expiry.
   */
  page(organizationId: string, at: PageRequest): Promise<Page<Invitation>>;
  /** Lists the pending invitations for an email address (lower case) of all organizations, newest first. */
  pendingFor(email: string): Promise<readonly Invitation[]>;
  /** Declines or revokes a pending invitation. @returns false when it is not pending any more. */
  end(invitation: Invitation, status: "DECLINED" | "REVOKED", userId: string): Promise<boolean>;
  /**
   * Makes the user a member of the inviting organization.
   *
   * @returns `accepted`; `processed` when the invitation is not pending any more, `member` when the user already is a
   *   member, `unknown` when the user was removed, `gone` when the organization does not exist, `withdrawn` when the
   *   inviter may not invite any more.
   */
  accept(
    invitation: Invitation,
    userId: string,
  ): Promise<"accepted" | "processed" | "member" | "unknown" | "gone" | "withdrawn">;
}

const invitationItem = v.object({
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
  const { organization, invited_by, created_at, expires_at, bh: _, ...rest } = v.parse(invitationItem, item);
  return { ...rest, organizationId: organization, invitedBy: invited_by, createdAt: created_at, expiresAt: expires_at };
};

/** Days after its expiry during which an invitation is still answered as expired. */
const graceDays = 30;

/**
 * Expiry (TTL, epoch seconds) of an invitation's items while it is not accepted.
 *
 * @param expiresAt expiry of the invitation, epoch milliseconds.
 */
const invitationTtl = (expiresAt: number): number => Math.ceil(expiresAt / 1000) + graceDays * 86_400;

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

  const statusWrites = ({ id, email, organizationId }: Invitation, status: Invitation["status"]) =>
    [
      {
        update: invitationKey(id),
        // An accepted invitation is stored as long as its organization.
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

    replay: async (id, repeat) => {
      const item = await get(invitationKey(id));
      if (item === undefined) return null;
      repeat.checkReplay(v.parse(invitationItem, item).bh ?? null);
      return { ...invitationOf(item), status: "PENDING" };
    },

    create: async (invitation, repeat = noIdempotency) => {
      const { id, organizationId, email, role, status, invitedBy, createdAt, expiresAt } = invitation;
      const item = { id, organization: organizationId, email, role, status, invited_by: invitedBy };
      const ttl = invitationTtl(expiresAt);
      const times = { created_at: createdAt, expires_at: expiresAt, ttl };
      const failedWrites = await write([
        { put: { ...invitationKey(id), ...item, ...times, ...bodyHashAttribute(repeat) }, when: ifAbsent },
        { put: { ...invitationEntryKey(organizationId, id), created_at: createdAt, ttl } },
        {
          put: { ...pendingInvitationKey(email, organizationId), invitation: id, expires_at: expiresAt, ttl },
          when: `${ifAbsent} OR expires_at <= :now`,
          values: { ":now": now() },
        },
        { check: organizationKey(organizationId), when: ifNotDeleted },
        auditWrite(
          {
            organizationId,
            actor: { kind: "user", userId: invitedBy },
            action: "invitation.created",
            target: id,
            details: { email, role },
          },
          now(),
        ),
      ]);
      if (failedWrites.size === 0) return "made";
      if (failedWrites.has(0)) return "there";
      return failedWrites.has(3) ? "gone" : "pending";
    },

    page: async (organizationId, at) => {
      const entries = await list({ pk: organizationPartition(organizationId), prefix: prefixes.invitations });
      const listedInvitations = entries
        .filter((item) => isLive(item, now()))
        .map((item) => {
          const { sk, created_at: createdAt } = v.parse(entry, item);
          return { id: sk.slice(prefixes.invitations.length), createdAt };
        });
      const { items, ...page } = orderedPage(listedInvitations, ({ id }) => id, "desc", at);
      const invitationById = new Map((await withIds(items.map(({ id }) => id))).map((each) => [each.id, each]));
      return { ...page, items: items.flatMap(({ id }) => invitationById.get(id) ?? []) };
    },

    pendingFor: async (email) => {
      const items = await list({ pk: emailPartition(email), prefix: prefixes.invitations });
      const invitations = await withIds(items.map((item) => v.parse(pending, item).invitation));
      const pendingInvitations = invitations.filter(
        ({ status, expiresAt }) => status === "PENDING" && expiresAt > now(),
      );
      return orderedPage(pendingInvitations, ({ id }) => id, "desc", {
        limit: pendingInvitations.length,
        offset: 0,
        after: null,
      }).items;
    },

    end: async (invitation, status, actorId) => {
      const failedWrites = await write([
        ...statusWrites(invitation, status),
        auditWrite(
          {
            organizationId: invitation.organizationId,
            actor: { kind: "user", userId: actorId },
            action: status === "DECLINED" ? "invitation.declined" : "invitation.revoked",
            target: invitation.id,
          },
          now(),
        ),
      ]);
      return failedWrites.size === 0;
    },

    accept: async (invitation, userId) => {
      const { id, organizationId, role, invitedBy } = invitation;
      // A transaction cannot both check and create the same membership, so an inviter who was removed cannot accept
      // their own invitation.
      if (invitedBy === userId) return "withdrawn";
      const inviters = roles.filter((each) => canStillInvite(each, role));
      const [member, membership, count] = joinWrites({ organizationId, userId, role, createdAt: instantAt(now()) });
      const failedWrites = await write([
        ...statusWrites(invitation, "ACCEPTED"),
        member,
        membership,
        // A user who is removed concurrently must not become a member.
        { ...count, when: "attribute_exists(pk)" },
        ownerCountWrite(organizationId, 0),
        auditWrite(
          {
            organizationId,
            actor: { kind: "user", userId },
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
      if (failedWrites.size === 0) return "accepted";
      if (failedWrites.has(0)) return "processed";
      if (failedWrites.has(4)) return "unknown";
      if (failedWrites.has(2)) return "member";
      return failedWrites.has(8) && !failedWrites.has(5) ? "withdrawn" : "gone";
    },
  };
};
