import { getOrganization } from "../../../lib/contract/organizations.ts";
import { notMember, requireRole } from "../../../lib/domain/role.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../lib/http/environment-gate.ts";
import { ownOrganizationReply } from "../../../lib/http/management-reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { memberStore } from "../../../lib/store/members.ts";
import { organizationStore } from "../../../lib/store/organizations.ts";

const database = connect();
const [organizations, members] = [organizationStore(database), memberStore(database)];

export const handler = endpoint(getOrganization, environmentUserGate(database), async ({ params, user }) => {
  const { org_id: id } = params;
  const [organization, found] = await Promise.all([organizations.find(id), members.role(id, user.userId)]);
  const role = requireRole(found);
  if (organization === null) throw notMember();
  return ownOrganizationReply(organization, role);
});
