import { createCliCode } from "../../../lib/contract/cli.ts";
import { checkCodeRequest, codeSeconds, newCode } from "../../../lib/domain/cli-code.ts";
import { requireRole } from "../../../lib/domain/role.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../lib/http/environment-gate.ts";
import { projectNotFound } from "../../../lib/http/management-reply.ts";
import { cliCodeStore } from "../../../lib/store/cli-codes.ts";
import { connect } from "../../../lib/store/database.ts";
import { memberStore } from "../../../lib/store/members.ts";
import { projectStore } from "../../../lib/store/projects.ts";

const database = connect();
const [projects, members, codes] = [projectStore(database), memberStore(database), cliCodeStore(database)];

export const handler = endpoint(createCliCode, environmentUserGate(database), async ({ body, user }) => {
  checkCodeRequest(body);
  const { org_id: organizationId, project_id: projectId } = body;
  requireRole(await members.role(organizationId, user.userId));
  if ((await projects.find(organizationId, projectId)) === null) throw projectNotFound(projectId);
  const { code, hash } = newCode();
  await codes.create(hash, {
    userId: user.userId,
    organizationId,
    projectId,
    challenge: body.code_challenge,
    label: body.label ?? null,
    expiresAt: Date.now() + codeSeconds * 1000,
  });
  return { code, expires_in: codeSeconds };
});
