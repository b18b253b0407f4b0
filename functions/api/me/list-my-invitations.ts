import { listMyInvitations } from "../../../lib/contract/me.ts";
import { comparableEmail } from "../../../lib/domain/invitation.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../lib/http/environment-gate.ts";
import { invitationReplies } from "../../../lib/http/management-reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { invitationStore } from "../../../lib/store/invitations.ts";
import { organizationStore } from "../../../lib/store/organizations.ts";
import { userStore } from "../../../lib/store/users.ts";

const database = connect();
const [users, organizations] = [userStore(database), organizationStore(database)];
const invitations = invitationStore(database);

export const handler = endpoint(
  listMyInvitations,
  environmentUserGate(database),
  async ({ user, query: { limit, offset } }) => {
    const waiting = user.email === null ? [] : await invitations.waiting(comparableEmail(user.email));
    const all = await invitationReplies(waiting, users, organizations, Date.now());
    return { items: all.slice(offset, offset + limit), total: all.length, limit, offset };
  },
);
