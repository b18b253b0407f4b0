import { NotFoundError } from "../client/errors.ts";
import type { Membership, Organization, Project } from "../client/interface.ts";
import { roles, type Role } from "../domain/access/role.ts";
import { sharedRequest } from "./shared-request.ts";
import { client } from "./sign-in.ts";
import { collect } from "./use-paged-list.ts";

/** True if a role has at least the rights of the required one. */
export const isAtLeast = (role: Role, required: Role): boolean => roles.indexOf(role) <= roles.indexOf(required);

/** Roles of members for a choice, the least powerful first. */
export const roleWords: Readonly<Record<Role, string>> = {
  LABELLER: "labeller: labels traces, sees no scores",
  MEMBER: "member",
  ADMIN: "admin",
  OWNER: "owner",
};

/** Returns the name of a member, or the e-mail address of one without a name. */
export const memberName = ({ display_name: name, email }: Membership): string => (name === "" ? email : name);

/** Organizations of the signed-in user. */
export const organizations = sharedRequest(() => collect(client.value.each.listOrganizations()));

/** Projects of an organization, by its id. */
export const projects = sharedRequest((org_id) => collect(client.value.each.listProjects({ path: { org_id } })));

/** Finds a project by id in any of the organizations, one request each; null if none has it. */
export const findProject = async <Org extends Pick<Organization, "id">>(
  candidates: readonly Org[],
  id: string | null,
): Promise<{ readonly organization: Org; readonly project: Project } | null> => {
  if (id === null) return null;
  for (const organization of candidates) {
    try {
      const project = await client.value.getProject({ path: { org_id: organization.id, project_id: id } });
      return { organization, project };
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  }
  return null;
};
