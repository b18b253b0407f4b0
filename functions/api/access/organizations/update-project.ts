import { updateProject } from "../../../../lib/contract/access/projects.ts";
import { conflict } from "../../../../lib/domain/access/invitation.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { projectNotFound, projectReply } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { projectStore } from "../../../../lib/store/access/projects.ts";

const database = connect();
const [projects, members] = [projectStore(database), memberStore(database)];

export const handler = endpoint(updateProject, environmentUserGuard(database), async ({ body, params, user }) => {
  const { org_id: organizationId, project_id: id } = params;
  requireRole(await members.role(organizationId, user.userId), "ADMIN");
  const updated = await projects.update(organizationId, id, body, user.userId);
  if (updated === null) throw projectNotFound(id);
  if (updated === "taken") throw conflict(`A project named '${body.name}' already exists in this organization.`);
  return projectReply(updated);
});
