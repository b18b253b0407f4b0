import { updateOrganization } from "../../../../lib/contract/access/organizations.ts";
import { notMember, requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { organizationReply } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";

const database = connect();
const [organizations, members] = [organizationStore(database), memberStore(database)];

export const handler = endpoint(updateOrganization, environmentUserGuard(database), async ({ body, params, user }) => {
  const { org_id: id } = params;
  const { name = null, key_makers: keyMakers = null } = body;
  requireRole(await members.role(id, user.userId), keyMakers === null ? "ADMIN" : "OWNER");
  const organization = await organizations.change(id, { name, keyMakers }, user.userId);
  if (organization === null) throw notMember();
  return organizationReply(organization);
});
