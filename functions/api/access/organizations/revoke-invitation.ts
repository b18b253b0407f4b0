import { revokeInvitation } from "../../../../lib/contract/access/invitations.ts";
import { conflict, invitationNotFound, statusAt } from "../../../../lib/domain/access/invitation.ts";
import { requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { invitationStore } from "../../../../lib/store/access/invitations.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";

const database = connect();
const [members, invitations] = [memberStore(database), invitationStore(database)];

export const handler = endpoint(revokeInvitation, environmentUserGuard(database), async ({ params, user }) => {
  const { org_id: organizationId, invitation_id: id } = params;
  const role = requireRole(await members.role(organizationId, user.userId));
  const invitation = await invitations.find(id);
  if (invitation?.organizationId !== organizationId) throw invitationNotFound();
  requireRole(role, "ADMIN");
  const isPending = statusAt(invitation, Date.now()) === "PENDING";
  if (!isPending || !(await invitations.end(invitation, "REVOKED", user.userId))) {
    throw conflict("Only pending invitations can be revoked.");
  }
});
