import { listApiKeys } from "../../../../lib/contract/access/api-keys.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { apiKeyReply } from "../../../../lib/http/access/reply.ts";
import { apiKeyStore } from "../../../../lib/store/access/api-keys.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";

const database = connect();
const [keys, members] = [apiKeyStore(database), memberStore(database)];

export const handler = endpoint(listApiKeys, environmentUserGuard(database), async ({ params, paging, user }) => {
  requireRole(await members.role(params.org_id, user.userId));
  const page = await keys.page(params.org_id, paging);
  const now = Date.now();
  return paging.list(
    page.items.map((key) => apiKeyReply(key, now)),
    page.total,
    page.last,
  );
});
