import { listApiKeys } from "../../../lib/contract/api-keys.ts";
import { requireRole } from "../../../lib/domain/role.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../lib/http/environment-gate.ts";
import { apiKeyReply } from "../../../lib/http/management-reply.ts";
import { apiKeyStore } from "../../../lib/store/api-keys.ts";
import { connect } from "../../../lib/store/database.ts";
import { memberStore } from "../../../lib/store/members.ts";

const database = connect();
const [keys, members] = [apiKeyStore(database), memberStore(database)];

export const handler = endpoint(listApiKeys, environmentUserGate(database), async ({ params, query, user }) => {
  requireRole(await members.role(params.org_id, user.userId));
  const page = await keys.page(params.org_id, query.limit, query.offset);
  const now = Date.now();
  return { ...page, items: page.items.map((key) => apiKeyReply(key, now)) };
});
