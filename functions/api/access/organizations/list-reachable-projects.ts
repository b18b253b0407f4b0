import { listReachableProjects } from "../../../../lib/contract/access/projects.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentOrganizationGate } from "../../../../lib/wiring/gates.ts";
import { projectReply } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/store/database.ts";
import { projectStore } from "../../../../lib/store/access/projects.ts";

const database = connect();
const projects = projectStore(database);

export const handler = endpoint(
  listReachableProjects,
  environmentOrganizationGate(database),
  async ({ onlyProject, organizationId, query }) => {
    const { limit, offset } = query;
    if (onlyProject === null) {
      const page = await projects.page(organizationId, limit, offset);
      return { ...page, items: page.items.map(projectReply) };
    }
    const found = await projects.find(organizationId, onlyProject);
    const reached = found === null ? [] : [projectReply(found)];
    return { items: reached.slice(offset, offset + limit), total: reached.length, limit, offset };
  },
);
