import { createInvitation } from "../../../../lib/contract/access/invitations.ts";
import { epochOf, instantAt, parseInstant } from "../../../../lib/domain/instant.ts";
import { comparableEmail } from "../../../../lib/domain/access/email.ts";
import {
  checkInviting,
  conflict,
  invitationLifetime,
  type Invitation,
} from "../../../../lib/domain/access/invitation.ts";
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

/** When it was made: it was not answered yet, nor had it expired. */
const instantMilliseconds = ({ createdAt }: Invitation): number => epochOf(parseInstant(createdAt) ?? instantAt(0));

export const handler = endpoint(
  createInvitation,
  environmentUserGate(database),
  async ({ body: { email, role }, mint, mintsAnew, params, repeat, user }) => {
    const { org_id: organizationId } = params;
    checkInviting(requireRole(await members.role(organizationId, user.userId)), role);
    const id = mint(`invitation to ${organizationId}`);
    const answer = async (made: Invitation) => {
      const [reply] = await invitationReplies([made], users, organizations, instantMilliseconds(made));
      if (reply === undefined) throw notMember();
      return reply;
    };
    const before = mintsAnew ? null : await invitations.madeBefore(id, repeat);
    if (before !== null) return answer(before);
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
    const outcome = await invitations.create(invitation, repeat);
    if (outcome === "pending") throw conflict("An invitation for this email is already pending.");
    const there = outcome === "there" ? await invitations.madeBefore(id, repeat) : invitation;
    if (outcome === "gone" || there === null) throw notMember();
    return answer(there);
  },
);
