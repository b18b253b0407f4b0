import { deleteApiKey } from "../../../../lib/contract/access/api-keys.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { apiKeyNotFound } from "../../../../lib/http/access/reply.ts";
import { apiKeyStore } from "../../../../lib/store/access/api-keys.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";

const database = connect();
const [keys, members] = [apiKeyStore(database), memberStore(database)];

export const handler = endpoint(
  deleteApiKey,
  environmentUserGuard(database),
  async ({ params, principal, query, user }) => {
    const { org_id: organizationId, key_id: id } = params;
    const role = requireRole(await members.role(organizationId, user.userId));
    const isCreator = async () => (await keys.get(organizationId, id))?.maker === user.userId;
    if (query.permanent || !(await isCreator())) requireRole(role, "ADMIN");
    const exists = await keys[query.permanent ? "remove" : "revoke"](organizationId, id, principal);
    if (!exists) throw apiKeyNotFound(id);
  },
);
