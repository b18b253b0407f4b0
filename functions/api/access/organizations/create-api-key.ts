import { createApiKey } from "../../../../lib/contract/access/api-keys.ts";
import { keyLifetime } from "../../../../lib/domain/access/api-key.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../../lib/wiring/gates.ts";
import { apiKeyReply } from "../../../../lib/http/access/reply.ts";
import { apiKeyStore } from "../../../../lib/store/access/api-keys.ts";
import { connect } from "../../../../lib/store/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";

const database = connect();
const [keys, members] = [apiKeyStore(database), memberStore(database)];

export const handler = endpoint(
  createApiKey,
  environmentUserGate(database),
  async ({ body, mint, params, principal, user }) => {
    const { org_id: organizationId } = params;
    requireRole(await members.role(organizationId, user.userId));
    const origin = { id: mint(`key of ${organizationId}`), by: principal, action: "api_key.created" } as const;
    const lifetime = body.expiration === "90d" ? keyLifetime : null;
    const { key, ...made } = await keys.create(organizationId, body.name, lifetime, origin);
    return apiKeyReply(made, Date.now(), key);
  },
);
