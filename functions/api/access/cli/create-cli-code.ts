import { createCliCode } from "../../../../lib/contract/access/cli.ts";
import { checkCodeRequest, codeSeconds, newCode } from "../../../../lib/domain/access/cli-code.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../../lib/wiring/gates.ts";
import { projectNotFound } from "../../../../lib/http/access/reply.ts";
import { cliCodeStore } from "../../../../lib/store/access/cli-codes.ts";
import { connect } from "../../../../lib/store/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { projectStore } from "../../../../lib/store/access/projects.ts";

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
