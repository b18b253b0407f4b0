import type { Caller } from "../client/caller.ts";

/** Ids of a project and its organization. */
export interface ProjectLocation {
  readonly id: string;
  readonly org_id: string;
}

/** Number of projects to list per organization: lists are newest first, and verify's project is minutes old. */
const pageSize = 200;

/** Finds a project by name in all organizations of a user; null when absent. */
export const findProject = async (user: Caller, projectName: string): Promise<ProjectLocation | null> => {
  for await (const { id: org_id } of user.client.each.listOrganizations()) {
    const projects = await user.client.listProjects({ path: { org_id }, query: { limit: pageSize } });
    const projectList = "items" in projects ? projects.items : projects;
    const project = projectList.find(({ name }) => name === projectName);
    if (project !== undefined) return { id: project.id, org_id };
  }
  return null;
};
