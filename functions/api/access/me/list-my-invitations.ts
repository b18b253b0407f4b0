import { listMyInvitations } from "../../../../lib/contract/access/me.ts";
import { comparableEmail } from "../../../../lib/domain/access/email.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { invitationReplies } from "../../../../lib/http/access/reply.ts";
import { pagedReply } from "../../../../lib/http/paging.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { invitationStore } from "../../../../lib/store/access/invitations.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";
import { userStore } from "../../../../lib/store/access/users.ts";

const database = connect();
const [users, organizations] = [userStore(database), organizationStore(database)];
const invitations = invitationStore(database);

export const handler = endpoint(listMyInvitations, environmentUserGuard(database), async ({ user, paging }) => {
  const pending = user.email === null ? [] : await invitations.pendingFor(comparableEmail(user.email));
  const replies = await invitationReplies(pending, users, organizations, Date.now());
  const page = pagedReply(paging, replies, ({ created_at, id }) => ({ key: created_at, id }));
  return paging.isPaged ? page : page.items;
});
