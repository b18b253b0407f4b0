import type { Caller } from "../client/caller.ts";

/** Where a project is. */
export interface FoundProject {
  readonly id: string;
  readonly org_id: string;
}

/** Of an organization: projects are listed newest first, and verify's is minutes old. */
const limit = 200;

/** The project of that name in one of a user's organizations; null when none has it. */
export const findProject = async (user: Caller, projectName: string): Promise<FoundProject | null> => {
  for await (const { id: org_id } of user.client.each.listOrganizations()) {
    const projects = await user.client.listProjects({ path: { org_id }, query: { limit } });
    const listed = "items" in projects ? projects.items : projects;
    const found = listed.find(({ name }) => name === projectName);
    if (found !== undefined) return { id: found.id, org_id };
  }
  return null;
};
