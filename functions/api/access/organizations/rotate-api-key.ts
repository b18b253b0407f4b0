import { rotateApiKey } from "../../../../lib/contract/access/api-keys.ts";
import { checkRotation, keyLifetime } from "../../../../lib/domain/access/api-key.ts";
import { canCreateKeys, cannotCreateKeys } from "../../../../lib/domain/access/key-scope.ts";
import { notMember, requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { apiKeyNotFound, apiKeyReply } from "../../../../lib/http/access/reply.ts";
import { apiKeyStore } from "../../../../lib/store/access/api-keys.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";

const database = connect();
const [keys, members, organizations] = [apiKeyStore(database), memberStore(database), organizationStore(database)];

export const handler = endpoint(
  rotateApiKey,
  environmentUserGuard(database),
  async ({ idFor, params, idempotency, user }) => {
    const { org_id: organizationId, key_id: id } = params;
    const role = requireRole(await members.role(organizationId, user.userId), "ADMIN");
    const organization = await organizations.find(organizationId);
    if (organization === null) throw notMember();
    if (!canCreateKeys(role, organization.keyMakers)) throw cannotCreateKeys();
    const previousKey = await keys.get(organizationId, id);
    if (previousKey === null) throw apiKeyNotFound(id);
    checkRotation(previousKey);
    const origin = { userId: user.userId, role, action: "api_key.rotated", signIn: false } as const;
    const { key, ...apiKey } = await keys.create(organizationId, previousKey.name, keyLifetime, previousKey.scope, {
      ...origin,
      id: idFor(`successor of ${id}`),
      idempotency,
    });
    return apiKeyReply(apiKey, Date.now(), key);
  },
);
