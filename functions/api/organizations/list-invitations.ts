import { listInvitations } from "../../../lib/contract/invitations.ts";
import { requireRole } from "../../../lib/domain/role.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../lib/http/environment-gate.ts";
import { invitationReplies } from "../../../lib/http/management-reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { invitationStore } from "../../../lib/store/invitations.ts";
import { memberStore } from "../../../lib/store/members.ts";
import { organizationStore } from "../../../lib/store/organizations.ts";
import { userStore } from "../../../lib/store/users.ts";

const database = connect();
const [users, members] = [userStore(database), memberStore(database)];
const [organizations, invitations] = [organizationStore(database), invitationStore(database)];

export const handler = endpoint(listInvitations, environmentUserGate(database), async ({ params, query, user }) => {
  requireRole(await members.role(params.org_id, user.userId));
  const page = await invitations.page(params.org_id, query.limit, query.offset);
  return { ...page, items: await invitationReplies(page.items, users, organizations, Date.now()) };
});
