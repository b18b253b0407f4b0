import { getOrganization } from "../../../../lib/contract/access/organizations.ts";
import { notMember, requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { memberOrganizationReply } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";

const database = connect();
const [organizations, members] = [organizationStore(database), memberStore(database)];

export const handler = endpoint(getOrganization, environmentUserGuard(database), async ({ params, user }) => {
  const { org_id: id } = params;
  const [organization, memberRole] = await Promise.all([organizations.find(id), members.role(id, user.userId)]);
  const role = requireRole(memberRole);
  if (organization === null) throw notMember();
  return memberOrganizationReply(organization, role);
});
