import * as v from "valibot";
import { page, pagingIfAsked, uuid } from "../fields.ts";
import { invitation, invitedEmail, organizationParams, role } from "./fields.ts";
import { route } from "../route.ts";

const params = v.object({ ...organizationParams.entries, invitation_id: uuid });

export const createInvitation = route({
  id: "createInvitation",
  method: "POST",
  repeats: "made",
  path: "/organizations/{org_id}/invitations",
  handler: "api/access/organizations/create-invitation",
  summary: "Invite somebody by e-mail",
  description:
    "Admins invite members; owners admins too. Nobody is invited as owner. The service writes no letters: it puts an event " +
    "`Invitation created` on the event bus of its account, at least once, for a rule of the operator's to write to the address. " +
    "Whoever signs in with that address finds the invitation at `GET /me/invitations`. The address is forgotten 30 days after " +
    "the invitation has expired, unless it was accepted; the audit event that it was made keeps it 400 days.",
  access: "user",
  params: organizationParams,
  body: v.pipe(
    v.object({ email: invitedEmail, role: v.optional(role, "MEMBER") }),
    v.title("InvitationInput"),
    v.examples([{ email: "bob@example.com", role: "MEMBER" }]),
  ),
  success: 201,
  reply: invitation,
  conflict: "It is the caller's own address or a member's, or an invitation waits for it already.",
  grants: { access: ["GetItem", "BatchGetItem", "Query", "PutItem", "ConditionCheckItem"] },
});

export const listInvitations = route({
  id: "listInvitations",
  method: "GET",
  path: "/organizations/{org_id}/invitations",
  handler: "api/access/organizations/list-invitations",
  summary: "List an organization's invitations, whatever became of them, newest first",
  description: "Those that nobody has accepted until 30 days after they expired.",
  access: "user",
  params: organizationParams,
  query: v.object(pagingIfAsked),
  success: 200,
  reply: v.union([v.array(invitation), page(invitation)]),
  grants: { access: ["GetItem", "BatchGetItem", "Query"] },
});

export const revokeInvitation = route({
  id: "revokeInvitation",
  method: "DELETE",
  path: "/organizations/{org_id}/invitations/{invitation_id}",
  handler: "api/access/organizations/revoke-invitation",
  summary: "Take a pending invitation back",
  description: "For admins and owners.",
  access: "user",
  params,
  success: 204,
  reply: v.void(),
  conflict: "The invitation is not pending.",
  grants: { access: ["GetItem", "PutItem", "UpdateItem", "DeleteItem"] },
});
