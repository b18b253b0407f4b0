import { deleteOrganization } from "../../../../lib/contract/access/organizations.ts";
import { conflict } from "../../../../lib/domain/access/invitation.ts";
import { notMember, requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { deletionRequests } from "../../../../lib/store/deletion/requests.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";

const database = connect();
const [organizations, members] = [organizationStore(database), memberStore(database)];
const requests = deletionRequests(database);

export const handler = endpoint(deleteOrganization, environmentUserGuard(database), async ({ params, user }) => {
  requireRole(await members.role(params.org_id, user.userId), "OWNER");
  const organization = await organizations.find(params.org_id);
  if (organization === null) throw notMember();
  if (await requests.ofOrganization(organization, user.userId)) return;
  throw conflict("The organization was changed at the same time. Try again.");
});
