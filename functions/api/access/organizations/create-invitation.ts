import { createInvitation } from "../../../../lib/contract/access/invitations.ts";
import { epochOf, instantAt, parseInstant } from "../../../../lib/domain/instant.ts";
import { comparableEmail } from "../../../../lib/domain/access/email.ts";
import {
  checkInviteRole,
  conflict,
  invitationLifetime,
  type Invitation,
} from "../../../../lib/domain/access/invitation.ts";
import { notMember, requireRole } from "../../../../lib/domain/access/role.ts";
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

const isMember = async (organizationId: string, email: string): Promise<boolean> => {
  const ids = await users.withEmail(email);
  const memberships = await Promise.all(ids.map((id) => members.find(organizationId, id)));
  return memberships.some((membership) => membership !== null);
};

/** Returns the creation time of an invitation in epoch milliseconds. A replayed reply has the status at this time, PENDING. */
const creationTime = ({ createdAt }: Invitation): number => epochOf(parseInstant(createdAt) ?? instantAt(0));

export const handler = endpoint(
  createInvitation,
  environmentUserGuard(database),
  async ({ body: { email, role }, idFor, hasRandomIds, params, idempotency, user }) => {
    const { org_id: organizationId } = params;
    checkInviteRole(requireRole(await members.role(organizationId, user.userId)), role);
    const id = idFor(`invitation to ${organizationId}`);
    const replyTo = async (invitation: Invitation) => {
      const [reply] = await invitationReplies([invitation], users, organizations, creationTime(invitation));
      if (reply === undefined) throw notMember();
      return reply;
    };
    const replayed = hasRandomIds ? null : await invitations.replay(id, idempotency);
    if (replayed !== null) return replyTo(replayed);
    if (user.email !== null && comparableEmail(user.email) === email) throw conflict("You cannot invite yourself.");
    if (await isMember(organizationId, email)) throw conflict("User is already a member of this organization.");
    const now = Date.now();
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
    const outcome = await invitations.create(invitation, idempotency);
    if (outcome === "pending") throw conflict("An invitation for this email is already pending.");
    const storedInvitation = outcome === "there" ? await invitations.replay(id, idempotency) : invitation;
    if (outcome === "gone" || storedInvitation === null) throw notMember();
    return replyTo(storedInvitation);
  },
);
