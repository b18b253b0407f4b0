import { declineInvitation } from "../../../../lib/contract/access/me.ts";
import { checkAnswering, conflict, invitationNotFound } from "../../../../lib/domain/access/invitation.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../../lib/wiring/gates.ts";
import { connect } from "../../../../lib/store/database.ts";
import { invitationStore } from "../../../../lib/store/access/invitations.ts";

const database = connect();
const invitations = invitationStore(database);

export const handler = endpoint(declineInvitation, environmentUserGate(database), async ({ user, params }) => {
  const invitation = await invitations.find(params.invitation_id);
  if (invitation === null) throw invitationNotFound();
  checkAnswering(invitation, user.email, Date.now());
  if (!(await invitations.end(invitation, "DECLINED", user.userId))) {
    throw conflict("This invitation has already been processed.");
  }
});
