import { listProjects } from "../../../lib/contract/projects.ts";
import { requireRole } from "../../../lib/domain/role.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../lib/http/environment-gate.ts";
import { projectReply } from "../../../lib/http/management-reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { memberStore } from "../../../lib/store/members.ts";
import { projectStore } from "../../../lib/store/projects.ts";

const database = connect();
const [projects, members] = [projectStore(database), memberStore(database)];

export const handler = endpoint(listProjects, environmentUserGate(database), async ({ params, query, user }) => {
  requireRole(await members.role(params.org_id, user.userId));
  const page = await projects.page(params.org_id, query.limit, query.offset);
  return { ...page, items: page.items.map(projectReply) };
});
