import { listProjects } from "../../../../lib/contract/access/projects.ts";
import { requireMember } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { projectReply } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { projectStore } from "../../../../lib/store/access/projects.ts";

const database = connect();
const [projects, members] = [projectStore(database), memberStore(database)];

export const handler = endpoint(listProjects, environmentUserGuard(database), async ({ params, paging, user }) => {
  requireMember(await members.role(params.org_id, user.userId));
  const page = await projects.page(params.org_id, paging);
  return paging.list(page.items.map(projectReply), page.total, page.last);
});
