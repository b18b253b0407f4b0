import { deleteApiKey } from "../../../lib/contract/api-keys.ts";
import { requireRole } from "../../../lib/domain/role.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../lib/http/environment-gate.ts";
import { apiKeyNotFound } from "../../../lib/http/management-reply.ts";
import { apiKeyStore } from "../../../lib/store/api-keys.ts";
import { connect } from "../../../lib/store/database.ts";
import { memberStore } from "../../../lib/store/members.ts";

const database = connect();
const [keys, members] = [apiKeyStore(database), memberStore(database)];

export const handler = endpoint(
  deleteApiKey,
  environmentUserGate(database),
  async ({ params, principal, query, user }) => {
    const { org_id: organizationId, key_id: id } = params;
    requireRole(await members.role(organizationId, user.userId), "ADMIN");
    const done = await keys[query.permanent ? "remove" : "revoke"](organizationId, id, principal);
    if (!done) throw apiKeyNotFound(id);
  },
);
