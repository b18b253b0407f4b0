import { deleteProject } from "../../../../lib/contract/access/projects.ts";
import { conflict } from "../../../../lib/domain/access/invitation.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { projectNotFound } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { deletionRequests } from "../../../../lib/store/deletion/requests.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { projectStore } from "../../../../lib/store/access/projects.ts";

const database = connect();
const [projects, members] = [projectStore(database), memberStore(database)];
const requests = deletionRequests(database);

export const handler = endpoint(deleteProject, environmentUserGuard(database), async ({ params, user }) => {
  requireRole(await members.role(params.org_id, user.userId), "OWNER");
  const project = await projects.find(params.org_id, params.project_id);
  if (project === null) throw projectNotFound(params.project_id);
  if (await requests.ofProject(project, user.userId)) return;
  throw conflict("The project was changed at the same time. Try again.");
});
