import { createInvitation } from "../../../../lib/contract/access/invitations.ts";
import { instantAt } from "../../../../lib/domain/instant.ts";
import { comparableEmail } from "../../../../lib/domain/access/email.ts";
import { checkInviting, conflict, invitationLifetime } from "../../../../lib/domain/access/invitation.ts";
import { notMember, requireRole } from "../../../../lib/domain/access/role.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../../lib/wiring/gates.ts";
import { invitationReplies } from "../../../../lib/http/access/reply.ts";
import { connect } from "../../../../lib/store/database.ts";
import { invitationStore } from "../../../../lib/store/access/invitations.ts";
import { memberStore } from "../../../../lib/store/access/members.ts";
import { organizationStore } from "../../../../lib/store/access/organizations.ts";
import { userStore } from "../../../../lib/store/access/users.ts";

const database = connect();
const [users, members] = [userStore(database), memberStore(database)];
const [organizations, invitations] = [organizationStore(database), invitationStore(database)];

const isMember = async (organizationId: string, email: string): Promise<boolean> => {
  const ids = await users.withEmail(email);
  const memberships = await Promise.all(ids.map((id) => members.find(organizationId, id)));
  return memberships.some((membership) => membership !== null);
};

export const handler = endpoint(
  createInvitation,
  environmentUserGate(database),
  async ({ body: { email, role }, mint, params, user }) => {
    const { org_id: organizationId } = params;
    checkInviting(requireRole(await members.role(organizationId, user.userId)), role);
    if (user.email !== null && comparableEmail(user.email) === email) throw conflict("You cannot invite yourself.");
    if (await isMember(organizationId, email)) throw conflict("User is already a member of this organization.");
    const now = Date.now();
    const id = mint(`invitation to ${organizationId}`);
    const invitation = {
      id,
      organizationId,
      email,
      role,
      status: "PENDING",
      invitedBy: user.userId,
      createdAt: instantAt(now),
      expiresAt: now + invitationLifetime,
    } as const;
    const outcome = await invitations.create(invitation);
    if (outcome === "pending") throw conflict("An invitation for this email is already pending.");
    const stored = outcome === "made" ? await invitations.find(id) : null;
    const [reply] = await invitationReplies(stored === null ? [] : [stored], users, organizations, now);
    if (reply === undefined) throw notMember();
    return reply;
  },
);
