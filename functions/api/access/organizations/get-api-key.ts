import { getApiKey } from "../../../../lib/contract/access/api-keys.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { apiKeyNotFound, apiKeyReply } from "../../../../lib/http/access/reply.ts";
import { apiKeyStore } from "../../../../lib/store/access/api-keys.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";

const database = connect();
const [keys, members] = [apiKeyStore(database), memberStore(database)];

export const handler = endpoint(getApiKey, environmentUserGuard(database), async ({ params, user }) => {
  requireRole(await members.role(params.org_id, user.userId));
  const key = await keys.get(params.org_id, params.key_id);
  if (key === null) throw apiKeyNotFound(params.key_id);
  return apiKeyReply(key, Date.now());
});
