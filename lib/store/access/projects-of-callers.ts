import * as v from "valibot";
import { randomId } from "../../domain/access/identity.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Principal, Project } from "../../domain/access/principal.ts";
import { unauthenticated } from "../../domain/refusal.ts";
import { forbidden, type Role } from "../../domain/access/role.ts";
import { absent, accessItems, type Item } from "./items.ts";
import { memberKey, organizationKey, projectKey, projectNameKey } from "./keys.ts";
import { again, attempts, unavailable } from "../attempts.ts";
import type { Database } from "../database.ts";
import * as patience from "../patience.ts";
import { joining, ownersChange } from "./membership-writes.ts";
import { makingProject } from "./project-writes.ts";

export interface Access {
  createOrganization(name: string): Promise<string>;
  /** @returns false when the user is a member already, who stays as they are. */
  addMember(organizationId: string, userId: string, role: Role): Promise<boolean>;
  /** Whether the user is a member of an organization that is there. */
  isMember(organizationId: string, userId: string): Promise<boolean>;
  /** A project that is there and was not deleted. */
  findProject(id: string): Promise<Project | null>;
  /**
   * The project of that name, made on first use; concurrent first uses make one.
   *
   * @param by who uses it, for the audit; null for the operator.
   * @throws Refusal `unauthenticated` when the organization is gone, `forbidden` when it has as many projects as it may.
   */
  projectNamed(organizationId: string, name: string, by?: Principal | null): Promise<Project>;
}

const nameItem = v.object({ project: v.string() });
const projectItem = v.object({ organization: v.string(), name: v.string(), deleted_at: v.optional(v.string()) });

const isAlive = (item: Item | undefined): boolean => item !== undefined && item["deleted_at"] === undefined;

/** @param maxProjects projects an organization may have. */
export const accessStore = (database: Database, maxProjects: number, now: () => number = Date.now): Access => {
  const { get, write } = accessItems(database);

  return {
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

    isMember: async (organizationId, userId) => {
      const [member, organization] = await Promise.all([
        get(memberKey(organizationId, userId)),
        get(organizationKey(organizationId)),
      ]);
      return member !== undefined && isAlive(organization);
    },

    findProject: async (id) => {
      const item = await get(projectKey(id));
      if (item === undefined) return null;
      const { organization, name, deleted_at: deleted } = v.parse(projectItem, item);
      return deleted === undefined ? { id, organizationId: organization, name } : null;
    },

    projectNamed: (organizationId, name, by = null) =>
      attempts(patience.brief, unavailable("The project is being created. Try again."), async () => {
        const [known, organization] = await Promise.all([
          get(projectNameKey(organizationId, name)),
          get(organizationKey(organizationId)),
        ]);
        if (!isAlive(organization)) throw unauthenticated("Organization associated with API key not found.");
        if (known !== undefined) return { id: v.parse(nameItem, known).project, organizationId, name };
        const project = { id: randomId(), organizationId, name };
        const made = { ...project, description: "", createdAt: instantAt(now()), by };
        const failed = await write(makingProject(made, maxProjects, now()));
        if (failed.size === 0) return project;
        if (!failed.has(0) && isAlive(await get(organizationKey(organizationId)))) {
          throw forbidden(`The organization has its ${maxProjects} projects.`);
        }
        return again;
      }),
  };
};
