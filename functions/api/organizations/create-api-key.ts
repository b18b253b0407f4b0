import { createApiKey } from "../../../lib/contract/api-keys.ts";
import { keyLifetime } from "../../../lib/domain/api-key.ts";
import { requireRole } from "../../../lib/domain/role.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../lib/http/environment-gate.ts";
import { apiKeyReply } from "../../../lib/http/management-reply.ts";
import { apiKeyStore } from "../../../lib/store/api-keys.ts";
import { connect } from "../../../lib/store/database.ts";
import { memberStore } from "../../../lib/store/members.ts";

const database = connect();
const [keys, members] = [apiKeyStore(database), memberStore(database)];

export const handler = endpoint(
  createApiKey,
  environmentUserGate(database),
  async ({ body, mint, params, principal, user }) => {
    const { org_id: organizationId } = params;
    requireRole(await members.role(organizationId, user.userId));
    const now = Date.now();
    const origin = { id: mint(`key of ${organizationId}`), by: principal, action: "api_key.created" } as const;
    const expiresAt = body.expiration === "90d" ? now + keyLifetime : null;
    const { key, ...made } = await keys.create(organizationId, body.name, expiresAt, origin);
    return apiKeyReply(made, now, key);
  },
);
