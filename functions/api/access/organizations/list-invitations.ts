import { listInvitations } from "../../../../lib/contract/access/invitations.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { invitationReplies } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { invitationStore } from "../../../../lib/store/access/invitations.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";
import { userStore } from "../../../../lib/store/access/users.ts";

const database = connect();
const [users, members] = [userStore(database), memberStore(database)];
const [organizations, invitations] = [organizationStore(database), invitationStore(database)];

export const handler = endpoint(listInvitations, environmentUserGuard(database), async ({ params, paging, user }) => {
  requireRole(await members.role(params.org_id, user.userId));
  const page = await invitations.page(params.org_id, paging);
  return paging.list(await invitationReplies(page.items, users, organizations, Date.now()), page.total, page.last);
});
