import { declineInvitation } from "../../../../lib/contract/access/me.ts";
import { checkInvitationAnswer, conflict, invitationNotFound } from "../../../../lib/domain/access/invitation.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { invitationStore } from "../../../../lib/store/access/invitations.ts";

const database = connect();
const invitations = invitationStore(database);

export const handler = endpoint(declineInvitation, environmentUserGuard(database), async ({ user, params }) => {
  const invitation = await invitations.find(params.invitation_id);
  if (invitation === null) throw invitationNotFound();
  checkInvitationAnswer(invitation, user.email, Date.now());
  if (!(await invitations.end(invitation, "DECLINED", user.userId))) {
    throw conflict("This invitation has already been processed.");
  }
});
