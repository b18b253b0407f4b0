import { deleteApiKey } from "../../../../lib/contract/access/api-keys.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../../lib/wiring/gates.ts";
import { apiKeyNotFound } from "../../../../lib/http/access/reply.ts";
import { apiKeyStore } from "../../../../lib/store/access/api-keys.ts";
import { connect } from "../../../../lib/store/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";

const database = connect();
const [keys, members] = [apiKeyStore(database), memberStore(database)];

export const handler = endpoint(
  deleteApiKey,
  environmentUserGate(database),
  async ({ params, principal, query, user }) => {
    const { org_id: organizationId, key_id: id } = params;
    const role = requireRole(await members.role(organizationId, user.userId));
    const isOwn = async () => (await keys.get(organizationId, id))?.maker === user.userId;
    if (query.permanent || !(await isOwn())) requireRole(role, "ADMIN");
    const done = await keys[query.permanent ? "remove" : "revoke"](organizationId, id, principal);
    if (!done) throw apiKeyNotFound(id);
  },
);
