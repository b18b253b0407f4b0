import { acceptInvitation } from "../../../../lib/contract/access/me.ts";
import {
  checkInvitationAnswer,
  conflict,
  invitationNotFound,
  inviterNotAllowed,
} from "../../../../lib/domain/access/invitation.ts";
import { userRemovedRefusal } from "../../../../lib/domain/access/membership.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { membershipReply } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { invitationStore } from "../../../../lib/store/access/invitations.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { userStore } from "../../../../lib/store/access/users.ts";

const database = connect();
const [users, members, invitations] = [userStore(database), memberStore(database), invitationStore(database)];

export const handler = endpoint(acceptInvitation, environmentUserGuard(database), async ({ user, params }) => {
  const invitation = await invitations.find(params.invitation_id);
  if (invitation === null) throw invitationNotFound();
  checkInvitationAnswer(invitation, user.email, Date.now());
  const outcome = await invitations.accept(invitation, user.userId);
  if (outcome === "gone") throw invitationNotFound();
  if (outcome === "unknown") throw userRemovedRefusal();
  if (outcome === "withdrawn") throw inviterNotAllowed();
  if (outcome === "processed") throw conflict("This invitation has already been processed.");
  const membership = await members.find(invitation.organizationId, user.userId);
  if (outcome === "member" || membership === null) throw conflict("You are already a member of this organization.");
  return membershipReply(membership, (await users.findMany([user.userId])).get(user.userId));
});
