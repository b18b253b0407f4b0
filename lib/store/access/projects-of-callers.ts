import * as v from "valibot";
import { randomId } from "../../domain/access/identity.ts";
import { instantAt } from "../../domain/instant.ts";
import { byPosition } from "../../domain/page.ts";
import type { CallersProject, Principal } from "../../domain/access/principal.ts";
import { unauthenticated } from "../../domain/refusal.ts";
import { forbidden, type Role } from "../../domain/access/role.ts";
import { absent, accessItems, isAlive } from "./items.ts";
import { memberKey, organizationKey, prefixes, projectKey, projectNameKey, userPartition } from "./keys.ts";
import { again, attempts, unavailable } from "../attempts.ts";
import type { Database } from "../database.ts";
import * as patience from "../patience.ts";
import { joining, ownersChange } from "./membership-writes.ts";
import { makingProject, metadataKeysOf } from "./project-writes.ts";

/** How the projects are found that callers name. */
export interface ProjectsOfCallers {
  /**
   * A project that is there, of an organization that is there and that the user is a member of, strongly read; else null.
   *
   * @param expected the organization that the project is taken to be of: with it one request answers.
   */
  projectOfMember(id: string, userId: string, expected?: string): Promise<CallersProject | null>;
  /**
   * The project of that name, strongly read; null when there is none.
   *
   * @throws Refusal `unauthenticated` when the organization is gone.
   */
  projectOfName(organizationId: string, name: string): Promise<CallersProject | null>;
  /** A project of an organization by its id, strongly read; null when it has none. @throws as `projectOfName`. */
  projectOfOrganization(organizationId: string, id: string): Promise<CallersProject | null>;
  /**
   * The project of that name in an organization that the user is a member of, strongly read; else null.
   *
   * @param organizationId null: that of the user's oldest membership.
   */
  projectOfMemberNamed(userId: string, organizationId: string | null, name: string): Promise<CallersProject | null>;
}

export interface Access extends ProjectsOfCallers {
  createOrganization(name: string): Promise<string>;
  /** @returns false when the user is a member already, who stays as they are. */
  addMember(organizationId: string, userId: string, role: Role): Promise<boolean>;
  /**
   * The project of that name, strongly read and made on first use; concurrent first uses make one.
   *
   * @param by who uses it, for the audit; null for the operator.
   * @throws Refusal `unauthenticated` when the organization is gone, `forbidden` when it has as many projects as it may.
   */
  projectNamed(
    organizationId: string,
    name: string,
    by?: Principal | null,
    keyMaker?: string | null,
  ): Promise<CallersProject>;
}

const nameItem = v.object({ project: v.string(), ...metadataKeysOf.entries });
const membership = v.object({ sk: v.string(), created_at: v.string() });
const projectItem = v.object({
  organization: v.string(),
  name: v.string(),
  deleted_at: v.optional(v.string()),
  ...metadataKeysOf.entries,
});

export const projectsOfCallers = (database: Database): ProjectsOfCallers => {
  const { get, getAll, list } = accessItems(database);

  /** The organization that a user belongs to for longest. */
  const oldestOf = async (userId: string): Promise<string | null> => {
    const items = await list(userPartition(userId), prefixes.members);
    const order = byPosition("asc");
    const memberships = items.map((item) => {
      const { sk, created_at: key } = v.parse(membership, item);
      return { key, id: sk.slice(prefixes.members.length) };
    });
    return memberships.toSorted(order)[0]?.id ?? null;
  };

  return {
    projectOfOrganization: async (organizationId, id) => {
      const [item, organization] = await getAll([projectKey(id), organizationKey(organizationId)]);
      if (!isAlive(organization)) throw unauthenticated("Organization associated with API key not found.");
      if (item === undefined) return null;
      const { organization: own, name, deleted_at: deleted, metadata_keys: metadataKeys } = v.parse(projectItem, item);
      return own === organizationId && deleted === undefined ? { id, organizationId, name, metadataKeys } : null;
    },

    projectOfMemberNamed: async (userId, named, name) => {
      const organizationId = named ?? (await oldestOf(userId));
      if (organizationId === null) return null;
      const [known, organization, member] = await getAll([
        projectNameKey(organizationId, name),
        organizationKey(organizationId),
        memberKey(organizationId, userId),
      ]);
      if (known === undefined || !isAlive(organization) || member === undefined) return null;
      const { project: id, metadata_keys: metadataKeys } = v.parse(nameItem, known);
      return { id, organizationId, name, metadataKeys };
    },

    projectOfMember: async (id, userId, expected) => {
      const itemsOf = (organization: string) =>
        [organizationKey(organization), memberKey(organization, userId)] as const;
      const [item, ...together] =
        expected === undefined ? [await get(projectKey(id))] : await getAll([projectKey(id), ...itemsOf(expected)]);
      if (item === undefined) return null;
      const found = v.parse(projectItem, item);
      const { organization: organizationId, name, deleted_at: deleted, metadata_keys: metadataKeys } = found;
      const [organization, member] = organizationId === expected ? together : await getAll(itemsOf(organizationId));
      const isOpen = deleted === undefined && isAlive(organization) && member !== undefined;
      return isOpen ? { id, organizationId, name, metadataKeys } : null;
    },

    projectOfName: async (organizationId, name) => {
      // The name goes with its project, in one transaction: one that is there leads to a project that is.
      const [known, organization] = await getAll([
        projectNameKey(organizationId, name),
        organizationKey(organizationId),
      ]);
      if (!isAlive(organization)) throw unauthenticated("Organization associated with API key not found.");
      if (known === undefined) return null;
      const { project: id, metadata_keys: metadataKeys } = v.parse(nameItem, known);
      return { id, organizationId, name, metadataKeys };
    },
  };
};

/** @param maxProjects projects an organization may have. */
export const accessStore = (database: Database, maxProjects: number, now: () => number = Date.now): Access => {
  const { get, write } = accessItems(database);
  const projects = projectsOfCallers(database);

  return {
    ...projects,

    createOrganization: async (name) => {
      const id = randomId();
      const item = { ...organizationKey(id), name, projects: 0, owners: 0, created_at: instantAt(now()) };
      await write([{ put: item, when: absent }]);
      return id;
    },

    addMember: async (organizationId, userId, role) => {
      const membership = { organizationId, userId, role, createdAt: instantAt(now()) };
      const failed = await write([...joining(membership), ownersChange(organizationId, role === "OWNER" ? 1 : 0)]);
      if (failed.size > 0 && !failed.has(0)) throw new Error("There is no such organization.");
      return failed.size === 0;
    },

    projectNamed: (organizationId, name, by = null, keyMaker = null) =>
      attempts(patience.brief, unavailable("The project is being created. Try again."), async () => {
        const known = await projects.projectOfName(organizationId, name);
        if (known !== null) return known;
        const project = { id: randomId(), organizationId, name, metadataKeys: [] };
        const made = { ...project, description: "", createdAt: instantAt(now()), by, keyMaker };
        const failed = await write(makingProject(made, maxProjects, now()));
        if (failed.size === 0) return project;
        if (!failed.has(0) && isAlive(await get(organizationKey(organizationId)))) {
          throw forbidden(`The organization has its ${maxProjects} projects.`);
        }
        return again;
      }),
  };
};
