import * as v from "valibot";
import { derivedUuid } from "../../domain/access/identity.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { bodyHashAttribute, noIdempotency, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { userRemovedRefusal } from "../../domain/access/membership.ts";
import type { AuditAction } from "../../domain/access/audit.ts";
import { type FullRole, fullRoles, type Role, roles } from "../../domain/access/role.ts";
import { ifAbsent, type Item } from "../../dynamo/items.ts";
import { accessItems, ifNotDeleted } from "./items.ts";
import { organizationKey, organizationPartition, prefixes, userKey, userPartition } from "./keys.ts";
import { orderedPage } from "./page.ts";
import { auditWrite } from "./audit-writes.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { joinWrites } from "./membership-writes.ts";
import { firstProject, projectItems } from "./project-writes.ts";

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}

/** An organization with its management settings. */
export interface ManagedOrganization extends Organization {
  /** Minimal role of members that may create API keys. */
  readonly keyMakers: FullRole;
}

/** Changes of an organization; null leaves a property unchanged. */
interface OrganizationChange {
  readonly name: string | null;
  readonly keyMakers: FullRole | null;
}

/** An organization with the role of the requesting member. */
interface MemberOrganization extends ManagedOrganization {
  readonly role: Role;
}

/** Store of organizations. */
export interface Organizations {
  /**
   * Creates an organization with its first project and owner.
   *
   * @param id id of the organization; a repeated request has the same id and gets the existing organization.
   * @param maxOwned max organizations that the user may own.
   * @returns null when the user already owns that many.
   * @throws Refusal `unavailable` when the user was removed a moment ago; and the refusals of `repeat.checkReplay`.
   */
  create(
    id: string,
    name: string,
    ownerId: string,
    maxOwned: number,
    repeat?: IdempotencyCheck,
  ): Promise<ManagedOrganization | null>;
  /** Reads an organization; null when it does not exist or is deleted. */
  find(id: string): Promise<ManagedOrganization | null>;
  /** Reads organizations by their ids, without absent and deleted ones. */
  findMany(ids: readonly string[]): Promise<ReadonlyMap<string, ManagedOrganization>>;
  /** Lists the organizations of a user, newest membership first. */
  page(userId: string, at: PageRequest): Promise<Page<MemberOrganization>>;
  /** Reads the id of the organization of the user's oldest membership; null without memberships. */
  oldest(userId: string): Promise<string | null>;
  /** Changes an organization. @returns null when the organization does not exist. */
  change(id: string, change: OrganizationChange, actorId: string): Promise<ManagedOrganization | null>;
}

const organizationItem = v.object({
  pk: v.string(),
  name: v.string(),
  created_at: v.string(),
  deleted_at: v.optional(v.string()),
  key_makers: v.optional(v.picklist(fullRoles), "MEMBER"),
  bh: v.optional(v.string()),
});

const membershipItem = v.object({ sk: v.string(), role: v.picklist(roles), created_at: v.string() });

const organizationOf = (item: Item | undefined): ManagedOrganization | null => {
  if (item === undefined) return null;
  const {
    pk,
    name,
    created_at: createdAt,
    deleted_at: deletedAt,
    key_makers: keyMakers,
  } = v.parse(organizationItem, item);
  return deletedAt === undefined
    ? { id: pk.slice(organizationPartition("").length), name, createdAt, keyMakers }
    : null;
};

export const organizationStore = (database: Database, now: () => number = Date.now): Organizations => {
  const { get, list, write } = accessItems(database);

  const find: Organizations["find"] = async (id) => organizationOf(await get(organizationKey(id)));

  const findMany: Organizations["findMany"] = async (ids) => {
    const items = await batchGet(database, "access", [...new Set(ids)].map(organizationKey));
    const organizations = items.map(organizationOf).filter((organization) => organization !== null);
    return new Map(organizations.map((organization) => [organization.id, organization]));
  };

  const organizationsOfUser = async (userId: string) => {
    const items = await list({ pk: userPartition(userId), prefix: prefixes.members });
    const memberships = items.map((item) => v.parse(membershipItem, item));
    const idOf = (sk: string): string => sk.slice(prefixes.members.length);
    const organizations = await findMany(memberships.map(({ sk }) => idOf(sk)));
    return memberships.flatMap(({ sk, role, created_at: createdAt }) => {
      const organization = organizations.get(idOf(sk));
      return organization === undefined ? [] : [{ organization, role, createdAt }];
    });
  };

  type UserOrganization = Awaited<ReturnType<typeof organizationsOfUser>>[number];
  const idOf = ({ organization }: UserOrganization): string => organization.id;

  return {
    find,
    findMany,

    create: async (id, name, ownerId, maxOwned, repeat = noIdempotency) => {
      const createdAt = instantAt(now());
      const project = { id: derivedUuid("project", id, firstProject.name), organizationId: id, createdAt };
      const [member, userEntry] = joinWrites({ organizationId: id, userId: ownerId, role: "OWNER", createdAt });
      const creator = { kind: "user", userId: ownerId } as const;
      const failedWrites = await write([
        {
          put: {
            ...organizationKey(id),
            name,
            projects: 1,
            owners: 1,
            created_at: createdAt,
            ...bodyHashAttribute(repeat),
          },
          when: ifAbsent,
        },
        {
          update: userKey(ownerId),
          change: "ADD memberships :one, owned :one",
          when: "attribute_exists(pk) AND (attribute_not_exists(owned) OR owned < :most)",
          values: { ":one": 1, ":most": maxOwned },
        },
        member,
        userEntry,
        ...projectItems({ ...project, ...firstProject }),
        auditWrite(
          { organizationId: id, actor: creator, action: "organization.created", target: id, details: { name } },
          now(),
        ),
      ]);
      const created = { id, name, createdAt, keyMakers: "MEMBER" } as const;
      if (failedWrites.size === 0) return created;
      if (failedWrites.has(0)) {
        const existing = v.parse(organizationItem, await get(organizationKey(id)));
        repeat.checkReplay(existing.bh ?? null);
        // A repeated request gets the original response, even if the organization has changed since.
        return { ...created, createdAt: existing.created_at };
      }
      if ((await get(userKey(ownerId))) === undefined) throw userRemovedRefusal();
      return null;
    },

    page: async (userId, at) => {
      const { items, ...page } = orderedPage(await organizationsOfUser(userId), idOf, "desc", at);
      return {
        ...page,
        items: items.map(({ organization, role }) => Object.assign({ role }, organization)),
      };
    },

    oldest: async (userId) => {
      const [first] = orderedPage(await organizationsOfUser(userId), idOf, "asc", {
        limit: 1,
        offset: 0,
        after: null,
      }).items;
      return first?.organization.id ?? null;
    },

    change: async (id, { name, keyMakers }, actorId) => {
      if (name === null && keyMakers === null) return find(id);
      const audit = (action: AuditAction, details: Readonly<Record<string, string>>) =>
        auditWrite(
          { organizationId: id, actor: { kind: "user", userId: actorId }, action, target: id, details },
          now(),
        );
      const failedWrites = await write([
        {
          update: organizationKey(id),
          change: `SET ${[name !== null && "#name = :name", keyMakers !== null && "key_makers = :makers"].filter(Boolean).join(", ")}`,
          when: ifNotDeleted,
          values: { ...(name !== null && { ":name": name }), ...(keyMakers !== null && { ":makers": keyMakers }) },
        },
        ...(name === null ? [] : [audit("organization.renamed", { name })]),
        ...(keyMakers === null ? [] : [audit("organization.key_makers_changed", { role: keyMakers })]),
      ]);
      return failedWrites.size === 0 ? find(id) : null;
    },
  };
};
