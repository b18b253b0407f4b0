import { createApiKey } from "../../../../lib/contract/access/api-keys.ts";
import { keyLifetime } from "../../../../lib/domain/access/api-key.ts";
import { canCreateKeys, cannotCreateKeys } from "../../../../lib/domain/access/key-scope.ts";
import { notMember, requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { apiKeyReply, projectNotFound } from "../../../../lib/http/access/reply.ts";
import { apiKeyStore } from "../../../../lib/store/access/api-keys.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";
import { projectStore } from "../../../../lib/store/access/projects.ts";

const database = connect();
const [keys, members] = [apiKeyStore(database), memberStore(database)];
const [organizations, projects] = [organizationStore(database), projectStore(database)];

export const handler = endpoint(
  createApiKey,
  environmentUserGuard(database),
  async ({ body, idFor, params, idempotency, user }) => {
    const { org_id: organizationId } = params;
    const { access, project_id: projectId = null } = body;
    const role = requireRole(await members.role(organizationId, user.userId));
    const organization = await organizations.find(organizationId);
    if (organization === null) throw notMember();
    if (!canCreateKeys(role, organization.keyMakers)) throw cannotCreateKeys();
    if (projectId !== null && (await projects.find(organizationId, projectId)) === null)
      throw projectNotFound(projectId);
    const origin = { userId: user.userId, role, action: "api_key.created", signIn: false } as const;
    const lifetime = body.expiration === "90d" ? keyLifetime : null;
    const { key, ...apiKey } = await keys.create(
      organizationId,
      body.name,
      lifetime,
      { access, projectId },
      { ...origin, id: idFor(`key of ${organizationId}`), idempotency },
    );
    return apiKeyReply(apiKey, Date.now(), key);
  },
);
