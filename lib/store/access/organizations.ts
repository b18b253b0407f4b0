import * as v from "valibot";
import { derivedUuid } from "../../domain/access/identity.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Page, PageAt } from "../../domain/page.ts";
import { keptHash, unrepeated, type Repeat } from "../../domain/repeat.ts";
import { removedMeanwhile } from "../../domain/access/membership.ts";
import type { AuditAction } from "../../domain/access/audit.ts";
import { type Role, roles } from "../../domain/access/role.ts";
import { absent, accessItems, alive, type Item } from "./items.ts";
import { organizationKey, organizationPartition, prefixes, userKey, userPartition } from "./keys.ts";
import { orderedPage } from "./page.ts";
import { auditWrite } from "./audit-writes.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { joining } from "./membership-writes.ts";
import { firstProject, projectItems } from "./project-writes.ts";

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}

/** An organization as it is managed. */
export interface ManagedOrganization extends Organization {
  /** The least role that may make API keys. */
  readonly keyMakers: Role;
}

/** What is to change of an organization; null leaves it. */
interface OrganizationChange {
  readonly name: string | null;
  readonly keyMakers: Role | null;
}

/** An organization as one of its members sees it. */
interface OwnOrganization extends ManagedOrganization {
  readonly role: Role;
}

export interface Organizations {
  /**
   * Makes an organization with its first project and owner.
   *
   * @param id a repeated request has the same one, and gets what is there.
   * @param most organizations that the user may own.
   * @returns null when the user owns as many as they may.
   * @throws Refusal `unavailable` when the user was removed a moment ago; as `repeat.met`.
   */
  create(id: string, name: string, ownerId: string, most: number, repeat?: Repeat): Promise<ManagedOrganization | null>;
  /** An organization that is there and was not deleted. */
  find(id: string): Promise<ManagedOrganization | null>;
  /** Those of some ids that are there, by id. */
  named(ids: readonly string[]): Promise<ReadonlyMap<string, ManagedOrganization>>;
  /** The organizations of a user, the newest membership first. */
  page(userId: string, at: PageAt): Promise<Page<OwnOrganization>>;
  /** The organization of the user's oldest membership; null when the user has none. */
  oldest(userId: string): Promise<string | null>;
  /** @returns null when there is none. */
  change(id: string, change: OrganizationChange, by: string): Promise<ManagedOrganization | null>;
}

const stored = v.object({
  pk: v.string(),
  name: v.string(),
  created_at: v.string(),
  deleted_at: v.optional(v.string()),
  key_makers: v.optional(v.picklist(roles), "MEMBER"),
  bh: v.optional(v.string()),
});

const membership = v.object({ sk: v.string(), role: v.picklist(roles), created_at: v.string() });

const organizationOf = (item: Item | undefined): ManagedOrganization | null => {
  if (item === undefined) return null;
  const { pk, name, created_at: createdAt, deleted_at: deleted, key_makers: keyMakers } = v.parse(stored, item);
  return deleted === undefined ? { id: pk.slice(organizationPartition("").length), name, createdAt, keyMakers } : null;
};

export const organizationStore = (database: Database, now: () => number = Date.now): Organizations => {
  const { get, list, write } = accessItems(database);

  const find: Organizations["find"] = async (id) => organizationOf(await get(organizationKey(id)));

  const named: Organizations["named"] = async (ids) => {
    const items = await batchGet(database, "access", [...new Set(ids)].map(organizationKey));
    const found = items.map(organizationOf).filter((organization) => organization !== null);
    return new Map(found.map((organization) => [organization.id, organization]));
  };

  const ofUser = async (userId: string) => {
    const items = await list(userPartition(userId), prefixes.members);
    const memberships = items.map((item) => v.parse(membership, item));
    const idOf = (sk: string): string => sk.slice(prefixes.members.length);
    const organizations = await named(memberships.map(({ sk }) => idOf(sk)));
    return memberships.flatMap(({ sk, role, created_at: createdAt }) => {
      const organization = organizations.get(idOf(sk));
      return organization === undefined ? [] : [{ organization, role, createdAt }];
    });
  };

  type Custom = Awaited<ReturnType<typeof ofUser>>[number];
  const idOf = ({ organization }: Custom): string => organization.id;

  return {
    find,
    named,

    create: async (id, name, ownerId, most, repeat = unrepeated) => {
      const createdAt = instantAt(now());
      const project = { id: derivedUuid("project", id, firstProject.name), organizationId: id, createdAt };
      const [member, listed] = joining({ organizationId: id, userId: ownerId, role: "OWNER", createdAt });
      const by = { kind: "user", userId: ownerId } as const;
      const failed = await write([
        {
          put: { ...organizationKey(id), name, projects: 1, owners: 1, created_at: createdAt, ...keptHash(repeat) },
          when: absent,
        },
        {
          update: userKey(ownerId),
          change: "ADD memberships :one, owned :one",
          when: "attribute_exists(pk) AND (attribute_not_exists(owned) OR owned < :most)",
          values: { ":one": 1, ":most": most },
        },
        member,
        listed,
        ...projectItems({ ...project, ...firstProject }),
        auditWrite({ organizationId: id, by, action: "organization.created", target: id, details: { name } }, now()),
      ]);
      const made = { id, name, createdAt, keyMakers: "MEMBER" } as const;
      if (failed.size === 0) return made;
      if (failed.has(0)) {
        const there = v.parse(stored, await get(organizationKey(id)));
        repeat.met(there.bh ?? null);
        // As it was answered then, whatever somebody has made of it since.
        return { ...made, createdAt: there.created_at };
      }
      if ((await get(userKey(ownerId))) === undefined) throw removedMeanwhile();
      return null;
    },

    page: async (userId, at) => {
      const { items, ...page } = orderedPage(await ofUser(userId), idOf, "desc", at);
      return {
        ...page,
        items: items.map(({ organization, role }) => Object.assign({ role }, organization)),
      };
    },

    oldest: async (userId) => {
      const [first] = orderedPage(await ofUser(userId), idOf, "asc", { limit: 1, offset: 0, after: null }).items;
      return first?.organization.id ?? null;
    },

    change: async (id, { name, keyMakers }, by) => {
      if (name === null && keyMakers === null) return find(id);
      const note = (action: AuditAction, details: Readonly<Record<string, string>>) =>
        auditWrite({ organizationId: id, by: { kind: "user", userId: by }, action, target: id, details }, now());
      const failed = await write([
        {
          update: organizationKey(id),
          change: `SET ${[name !== null && "#name = :name", keyMakers !== null && "key_makers = :makers"].filter(Boolean).join(", ")}`,
          when: alive,
          values: { ...(name !== null && { ":name": name }), ...(keyMakers !== null && { ":makers": keyMakers }) },
        },
        ...(name === null ? [] : [note("organization.renamed", { name })]),
        ...(keyMakers === null ? [] : [note("organization.key_makers_changed", { role: keyMakers })]),
      ]);
      return failed.size === 0 ? find(id) : null;
    },
  };
};
