import { acceptInvitation } from "../../../../lib/contract/access/me.ts";
import { checkAnswering, conflict, invitationNotFound, withdrawn } from "../../../../lib/domain/access/invitation.ts";
import { removedMeanwhile } from "../../../../lib/domain/access/membership.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../../lib/wiring/gates.ts";
import { membershipReply } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/store/database.ts";
import { invitationStore } from "../../../../lib/store/access/invitations.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { userStore } from "../../../../lib/store/access/users.ts";

const database = connect();
const [users, members, invitations] = [userStore(database), memberStore(database), invitationStore(database)];

export const handler = endpoint(acceptInvitation, environmentUserGate(database), async ({ user, params }) => {
  const invitation = await invitations.find(params.invitation_id);
  if (invitation === null) throw invitationNotFound();
  checkAnswering(invitation, user.email, Date.now());
  const outcome = await invitations.accept(invitation, user.userId);
  if (outcome === "gone") throw invitationNotFound();
  if (outcome === "unknown") throw removedMeanwhile();
  if (outcome === "withdrawn") throw withdrawn();
  if (outcome === "processed") throw conflict("This invitation has already been processed.");
  const membership = await members.find(invitation.organizationId, user.userId);
  if (outcome === "member" || membership === null) throw conflict("You are already a member of this organization.");
  return membershipReply(membership, (await users.named([user.userId])).get(user.userId));
});
