import { rotateApiKey } from "../../../../lib/contract/access/api-keys.ts";
import { checkRotation, keyLifetime } from "../../../../lib/domain/access/api-key.ts";
import { mayMakeKeys, noKeyMaker } from "../../../../lib/domain/access/key-scope.ts";
import { notMember, requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../../lib/wiring/gates.ts";
import { apiKeyNotFound, apiKeyReply } from "../../../../lib/http/access/reply.ts";
import { apiKeyStore } from "../../../../lib/store/access/api-keys.ts";
import { connect } from "../../../../lib/store/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";

const database = connect();
const [keys, members, organizations] = [apiKeyStore(database), memberStore(database), organizationStore(database)];

export const handler = endpoint(rotateApiKey, environmentUserGate(database), async ({ mint, params, repeat, user }) => {
  const { org_id: organizationId, key_id: id } = params;
  const role = requireRole(await members.role(organizationId, user.userId), "ADMIN");
  const organization = await organizations.find(organizationId);
  if (organization === null) throw notMember();
  if (!mayMakeKeys(role, organization.keyMakers)) throw noKeyMaker();
  const rotated = await keys.get(organizationId, id);
  if (rotated === null) throw apiKeyNotFound(id);
  checkRotation(rotated);
  const origin = { userId: user.userId, role, action: "api_key.rotated", signIn: false } as const;
  const { key, ...made } = await keys.create(organizationId, rotated.name, keyLifetime, rotated.scope, {
    ...origin,
    id: mint(`successor of ${id}`),
    repeat,
  });
  return apiKeyReply(made, Date.now(), key);
});
