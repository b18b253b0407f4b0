import { getProject } from "../../../../lib/contract/access/projects.ts";
import { requireMember } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { projectNotFound, projectReply } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { projectStore } from "../../../../lib/store/access/projects.ts";

const database = connect();
const [projects, members] = [projectStore(database), memberStore(database)];

export const handler = endpoint(getProject, environmentUserGuard(database), async ({ params, user }) => {
  requireMember(await members.role(params.org_id, user.userId));
  const project = await projects.find(params.org_id, params.project_id);
  if (project === null) throw projectNotFound(params.project_id);
  return projectReply(project);
});
