import { deleteOrganization } from "../../../lib/contract/organizations.ts";
import { conflict } from "../../../lib/domain/invitation.ts";
import { notMember, requireRole } from "../../../lib/domain/role.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../lib/http/environment-gate.ts";
import { connect } from "../../../lib/store/database.ts";
import { deletionRequests } from "../../../lib/store/deletion-requests.ts";
import { memberStore } from "../../../lib/store/members.ts";
import { organizationStore } from "../../../lib/store/organizations.ts";

const database = connect();
const [organizations, members] = [organizationStore(database), memberStore(database)];
const requests = deletionRequests(database);

export const handler = endpoint(deleteOrganization, environmentUserGate(database), async ({ params, user }) => {
  requireRole(await members.role(params.org_id, user.userId), "OWNER");
  const organization = await organizations.find(params.org_id);
  if (organization === null) throw notMember();
  if (await requests.ofOrganization(organization, user.userId)) return;
  throw conflict("The organization was changed at the same time. Try again.");
});
