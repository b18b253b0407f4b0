import { createCliCode } from "../../../../lib/contract/access/cli.ts";
import { conflict } from "../../../../lib/domain/access/invitation.ts";
import { checkCodeRequest, codeLifetimeSeconds, newCode } from "../../../../lib/domain/access/cli-code.ts";
import { canCreateKeys, cannotCreateKeys } from "../../../../lib/domain/access/key-scope.ts";
import { notMember, requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { projectNotFound } from "../../../../lib/http/access/reply.ts";
import { cliCodeStore } from "../../../../lib/store/access/cli-codes.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";
import { projectStore } from "../../../../lib/store/access/projects.ts";

const database = connect();
const [projects, members, codes] = [projectStore(database), memberStore(database), cliCodeStore(database)];
const organizations = organizationStore(database);

const codeShownOnce = "This request has already created a code, which is shown only once. Request another code.";

export const handler = endpoint(createCliCode, environmentUserGuard(database), async ({ body, runOnce, user }) => {
  checkCodeRequest(body);
  const { org_id: organizationId, project_id: projectId } = body;
  const role = requireRole(await members.role(organizationId, user.userId));
  const organization = await organizations.find(organizationId);
  if (organization === null) throw notMember();
  if (!canCreateKeys(role, organization.keyMakers)) throw cannotCreateKeys();
  if ((await projects.find(organizationId, projectId)) === null) throw projectNotFound(projectId);
  return await runOnce({ lease: 0, secret: () => conflict(codeShownOnce) }, async () => {
    const { code, hash } = newCode();
    await codes.create(hash, {
      userId: user.userId,
      organizationId,
      projectId,
      challenge: body.code_challenge,
      label: body.label ?? null,
      isForProject: body.scope === "project",
      expiresAt: Date.now() + codeLifetimeSeconds * 1000,
    });
    return { code, expires_in: codeLifetimeSeconds };
  });
});
