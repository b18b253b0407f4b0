import { createProject } from "../../../../lib/contract/access/projects.ts";
import { conflict } from "../../../../lib/domain/access/invitation.ts";
import { forbidden, requireRole } from "../../../../lib/domain/access/role.ts";
import { requiredNumber, variables } from "../../../../lib/wiring/environment.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../../lib/wiring/gates.ts";
import { projectReply } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/store/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { projectStore } from "../../../../lib/store/access/projects.ts";

const database = connect();
const [projects, members] = [projectStore(database), memberStore(database)];
const most = requiredNumber(variables.maxProjects);

export const handler = endpoint(createProject, environmentUserGate(database), async (request) => {
  const { body, mint, params, repeat, user } = request;
  const { org_id: organizationId } = params;
  requireRole(await members.role(organizationId, user.userId), "ADMIN");
  const { name, description, metadata_keys: metadataKeys } = body;
  const id = mint(`project of ${organizationId}`);
  const made = await projects.create(
    { id, organizationId, name, description, metadataKeys },
    user.userId,
    most,
    repeat,
  );
  if (made === "full") throw forbidden(`The organization has its ${most} projects.`);
  if (made === "taken") throw conflict(`A project named '${name}' already exists in this organization.`);
  return projectReply(made);
});
