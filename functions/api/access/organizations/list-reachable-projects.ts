import { listReachableProjects } from "../../../../lib/contract/access/projects.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentOrganizationGuard } from "../../../../lib/wiring/access-guards.ts";
import { projectReply } from "../../../../lib/http/access/reply.ts";
import { pagedReply } from "../../../../lib/http/paging.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { projectStore } from "../../../../lib/store/access/projects.ts";

const database = connect();
const projects = projectStore(database);

export const handler = endpoint(
  listReachableProjects,
  environmentOrganizationGuard(database),
  async ({ onlyProject, keyAccess, organizationId, paging }) => {
    const key_access = keyAccess;
    if (onlyProject === null) {
      const page = await projects.page(organizationId, paging);
      return { ...paging.page(page.items.map(projectReply), page.total, page.last), key_access };
    }
    const project = await projects.find(organizationId, onlyProject);
    const projectReplies = project === null ? [] : [projectReply(project)];
    const page = pagedReply(paging, projectReplies, ({ created_at, id }) => ({ key: created_at, id }));
    return { ...page, key_access };
  },
);
