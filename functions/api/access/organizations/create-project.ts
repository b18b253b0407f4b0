import { createProject } from "../../../../lib/contract/access/projects.ts";
import { conflict } from "../../../../lib/domain/access/invitation.ts";
import { forbidden, requireRole } from "../../../../lib/domain/access/role.ts";
import { requiredNumber, variables } from "../../../../lib/wiring/environment.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { projectReply } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { projectStore } from "../../../../lib/store/access/projects.ts";

const database = connect();
const [projects, members] = [projectStore(database), memberStore(database)];
const maxProjects = requiredNumber(variables.maxProjects);

export const handler = endpoint(createProject, environmentUserGuard(database), async (request) => {
  const { body, idFor, params, idempotency, user } = request;
  const { org_id: organizationId } = params;
  requireRole(await members.role(organizationId, user.userId), "ADMIN");
  const id = idFor(`project of ${organizationId}`);
  const project = await projects.create({ id, organizationId, ...body }, user.userId, maxProjects, idempotency);
  if (project === "full") throw forbidden(`The organization has reached its limit of ${maxProjects} projects.`);
  if (project === "taken") throw conflict(`A project named '${body.name}' already exists in this organization.`);
  return projectReply(project);
});
