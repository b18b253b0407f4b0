import { listOrganizations } from "../../../lib/contract/access/organizations.ts";
import { listProjects } from "../../../lib/contract/access/projects.ts";
import type { Caller } from "../client/caller.ts";

/** Where a project is. */
export interface FoundProject {
  readonly id: string;
  readonly org_id: string;
}

const limit = 200;

/** Of a user: pages of organizations. Their projects are listed newest first, and verify's is minutes old. */
const mostPages = 5;

/** The project of that name in one of a user's organizations; null when none has it. */
export const findProject = async (user: Caller, projectName: string): Promise<FoundProject | null> => {
  for (let page = 0; page < mostPages; page += 1) {
    const { items } = await user.answer(listOrganizations, { query: { limit, offset: page * limit } });
    for (const { id: org_id } of items) {
      const projects = await user.answer(listProjects, { params: { org_id }, query: { limit } });
      const found = projects.items.find(({ name }) => name === projectName);
      if (found !== undefined) return { id: found.id, org_id };
    }
    if (items.length < limit) return null;
  }
  return null;
};
