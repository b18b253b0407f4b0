import * as v from "valibot";
import { randomId } from "../../domain/access/identity.ts";
import { instantAt } from "../../domain/instant.ts";
import { byPosition } from "../../domain/page.ts";
import { projectFields } from "../../domain/access/fields.ts";
import { defaultsOf } from "../../domain/fields.ts";
import type { IngestProject, Principal } from "../../domain/access/principal.ts";
import { unauthenticated } from "../../domain/refusal.ts";
import { forbidden, type Role, roles } from "../../domain/access/role.ts";
import { ifAbsent, type Item } from "../../dynamo/items.ts";
import { accessItems, isAlive } from "./items.ts";
import { memberKey, organizationKey, prefixes, projectKey, projectNameKey, userPartition } from "./keys.ts";
import { tryAgain, withRetries, throwUnavailable } from "../../dynamo/with-retries.ts";
import type { Database } from "../../dynamo/database.ts";
import { immediateRetryPolicy } from "../../dynamo/retry-policies.ts";
import { joinWrites, ownerCountWrite } from "./membership-writes.ts";
import { projectCreationWrites, ingestSettings } from "./project-writes.ts";

/** A project with the role of a member of its organization. */
export interface MemberProject {
  readonly project: IngestProject;
  readonly role: Role;
}

/** Resolves the project that a caller refers to, with the caller's access to it. */
export interface ProjectLookup {
  /**
   * Reads a project by id, strongly consistent, for a user who is a member of its organization; otherwise null.
   *
   * @param expected assumed organization of the project: if right, a single request suffices.
   */
  projectOfMember(id: string, userId: string, expected?: string): Promise<MemberProject | null>;
  /**
   * Reads an organization's project by name, strongly consistent; null when there is none.
   *
   * @throws Refusal `unauthenticated` when the organization does not exist.
   */
  projectOfName(organizationId: string, name: string): Promise<IngestProject | null>;
  /**
   * Reads an organization's project by id, strongly consistent; null when there is none.
   *
   * @throws Refusal `unauthenticated` when the organization does not exist.
   */
  projectOfOrganization(organizationId: string, id: string): Promise<IngestProject | null>;
  /**
   * Reads a project by name, strongly consistent, in an organization that the user is a member of; otherwise null.
   *
   * @param organizationId null for the organization of the user's oldest membership.
   */
  projectOfMemberNamed(userId: string, organizationId: string | null, name: string): Promise<MemberProject | null>;
}

/** Store of members and projects for requests that resolve or create a project. */
export interface ProjectDirectory extends ProjectLookup {
  createOrganization(name: string): Promise<string>;
  /** Adds a member to an organization. @returns false when the user is already a member, whose role does not change. */
  addMember(organizationId: string, userId: string, role: Role): Promise<boolean>;
  /**
   * Reads an organization's project by name, strongly consistent, and creates it on first use; concurrent first uses
   * create one project.
   *
   * @param creator creator for the audit trail; null for the operator.
   * @throws Refusal `unauthenticated` when the organization does not exist, `forbidden` when it has its maximum of
   *   projects.
   */
  findOrCreateProject(
    organizationId: string,
    name: string,
    creator?: Principal | null,
    keyMaker?: string | null,
  ): Promise<IngestProject>;
}

const nameItem = v.object({ project: v.string() });
const memberItem = v.object({ role: v.picklist(roles) });
const membershipItem = v.object({ sk: v.string(), created_at: v.string() });
const projectItem = v.object({
  organization: v.string(),
  name: v.string(),
  deleted_at: v.optional(v.string()),
});

/** Returns the settings that ingest needs of the item of a project or of its name. */
const settingsOf = (item: Item): Pick<IngestProject, "metadata_keys" | "masking"> => {
  const { metadata_keys, masking } = v.parse(ingestSettings, item);
  return { metadata_keys, masking };
};

export const projectLookup = (database: Database): ProjectLookup => {
  const { get, getAll, list } = accessItems(database);

  /** Reads the id of the organization of a user's oldest membership. */
  const oldestOrganization = async (userId: string): Promise<string | null> => {
    const items = await list({ pk: userPartition(userId), prefix: prefixes.members });
    const order = byPosition("asc");
    const memberships = items.map((item) => {
      const { sk, created_at: key } = v.parse(membershipItem, item);
      return { key, id: sk.slice(prefixes.members.length) };
    });
    return memberships.toSorted(order)[0]?.id ?? null;
  };

  return {
    projectOfOrganization: async (organizationId, id) => {
      const [item, organization] = await getAll([projectKey(id), organizationKey(organizationId)]);
      if (!isAlive(organization)) throw unauthenticated("Organization associated with API key not found.");
      if (item === undefined) return null;
      const { organization: owner, name, deleted_at: deletedAt } = v.parse(projectItem, item);
      return owner === organizationId && deletedAt === undefined
        ? { id, organizationId, name, ...settingsOf(item) }
        : null;
    },

    projectOfMemberNamed: async (userId, requestedId, name) => {
      const organizationId = requestedId ?? (await oldestOrganization(userId));
      if (organizationId === null) return null;
      const [projectName, organization, member] = await getAll([
        projectNameKey(organizationId, name),
        organizationKey(organizationId),
        memberKey(organizationId, userId),
      ]);
      if (projectName === undefined || !isAlive(organization) || member === undefined) return null;
      const { project: id } = v.parse(nameItem, projectName);
      return {
        project: { id, organizationId, name, ...settingsOf(projectName) },
        role: v.parse(memberItem, member).role,
      };
    },

    projectOfMember: async (id, userId, expected) => {
      const itemsOf = (organization: string) =>
        [organizationKey(organization), memberKey(organization, userId)] as const;
      const [item, ...companions] =
        expected === undefined ? [await get(projectKey(id))] : await getAll([projectKey(id), ...itemsOf(expected)]);
      if (item === undefined) return null;
      const project = v.parse(projectItem, item);
      const { organization: organizationId, name, deleted_at: deletedAt } = project;
      const [organization, member] = organizationId === expected ? companions : await getAll(itemsOf(organizationId));
      if (deletedAt !== undefined || !isAlive(organization) || member === undefined) return null;
      return { project: { id, organizationId, name, ...settingsOf(item) }, role: v.parse(memberItem, member).role };
    },

    projectOfName: async (organizationId, name) => {
      // The item of a project's name and the project's item are written and deleted in one transaction, so an existing
      // name implies an existing project.
      const [projectName, organization] = await getAll([
        projectNameKey(organizationId, name),
        organizationKey(organizationId),
      ]);
      if (!isAlive(organization)) throw unauthenticated("Organization associated with API key not found.");
      if (projectName === undefined) return null;
      const { project: id } = v.parse(nameItem, projectName);
      return { id, organizationId, name, ...settingsOf(projectName) };
    },
  };
};

/** @param maxProjects max projects per organization. */
export const accessStore = (
  database: Database,
  maxProjects: number,
  now: () => number = Date.now,
): ProjectDirectory => {
  const { get, write } = accessItems(database);
  const projects = projectLookup(database);

  return {
    ...projects,

    createOrganization: async (name) => {
      const id = randomId();
      const item = { ...organizationKey(id), name, projects: 0, owners: 0, created_at: instantAt(now()) };
      await write([{ put: item, when: ifAbsent }]);
      return id;
    },

    addMember: async (organizationId, userId, role) => {
      const membership = { organizationId, userId, role, createdAt: instantAt(now()) };
      const failedWrites = await write([
        ...joinWrites(membership),
        ownerCountWrite(organizationId, role === "OWNER" ? 1 : 0),
      ]);
      if (failedWrites.size > 0 && !failedWrites.has(0)) throw new Error("The organization does not exist.");
      return failedWrites.size === 0;
    },

    findOrCreateProject: (organizationId, name, creator = null, keyMaker = null) =>
      withRetries(immediateRetryPolicy, throwUnavailable("The project is being created. Try again."), async () => {
        const existing = await projects.projectOfName(organizationId, name);
        if (existing !== null) return existing;
        const { metadata_keys, masking } = defaultsOf(projectFields);
        const project = { id: randomId(), organizationId, name, metadata_keys, masking };
        const newProject = {
          ...defaultsOf(projectFields),
          ...project,
          createdAt: instantAt(now()),
          createdBy: creator,
          keyMaker,
        };
        const failedWrites = await write(projectCreationWrites(newProject, maxProjects, now()));
        if (failedWrites.size === 0) return project;
        // Only the organization's condition tells of the limit: the id is taken when an earlier attempt was written
        // whose reply was lost, and its project deleted or renamed since.
        const isRefusedByOrganization = failedWrites.has(2) && !failedWrites.has(0);
        if (isRefusedByOrganization && isAlive(await get(organizationKey(organizationId)))) {
          throw forbidden(`The organization has reached its limit of ${maxProjects} projects.`);
        }
        return tryAgain;
      }),
  };
};
