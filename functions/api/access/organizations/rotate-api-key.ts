import { rotateApiKey } from "../../../../lib/contract/access/api-keys.ts";
import { checkRotation, keyLifetime } from "../../../../lib/domain/access/api-key.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../../lib/wiring/gates.ts";
import { apiKeyNotFound, apiKeyReply } from "../../../../lib/http/access/reply.ts";
import { apiKeyStore } from "../../../../lib/store/access/api-keys.ts";
import { connect } from "../../../../lib/store/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";

const database = connect();
const [keys, members] = [apiKeyStore(database), memberStore(database)];

export const handler = endpoint(
  rotateApiKey,
  environmentUserGate(database),
  async ({ mint, params, principal, user }) => {
    const { org_id: organizationId, key_id: id } = params;
    requireRole(await members.role(organizationId, user.userId), "ADMIN");
    const rotated = await keys.get(organizationId, id);
    if (rotated === null) throw apiKeyNotFound(id);
    checkRotation(rotated);
    const origin = { id: mint(`successor of ${id}`), by: principal, action: "api_key.rotated" } as const;
    const { key, ...made } = await keys.create(organizationId, rotated.name, keyLifetime, origin);
    return apiKeyReply(made, Date.now(), key);
  },
);
