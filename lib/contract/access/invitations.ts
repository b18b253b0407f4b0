import * as v from "valibot";
import { page, optionalPaging, uuid } from "../schema/fields.ts";
import { invitation, invitedEmail, organizationParams, role } from "./fields.ts";
import { route } from "../route.ts";

const params = v.object({ ...organizationParams.entries, invitation_id: uuid });

export const createInvitation = route({
  id: "createInvitation",
  method: "POST",
  idempotency: "derived-id",
  path: "/organizations/{org_id}/invitations",
  handler: "api/access/organizations/create-invitation",
  summary: "Create an invitation",
  description:
    "Invites a user by e-mail address: admins can invite members, owners also admins, and nobody can be invited as owner. The " +
    "service does not send e-mail: it publishes an `invitation.created` event on the event bus of its AWS account, at least once, " +
    "for a rule of the operator. A user who signs in with the address sees the invitation at `GET /me/invitations`. The address " +
    "is deleted 30 days after the invitation has expired, unless it was accepted; the audit event keeps it for 400 days.",
  access: "user",
  params: organizationParams,
  body: v.pipe(
    v.object({ email: invitedEmail, role: v.optional(role, "MEMBER") }),
    v.title("InvitationInput"),
    v.examples([{ email: "bob@example.com", role: "MEMBER" }]),
  ),
  success: 201,
  reply: invitation,
  conflict: "The address belongs to the caller or a member, or already has a pending invitation.",
  grants: {
    access: {
      GetItem: ["invitation", "organization"],
      BatchGetItem: ["organization", "user"],
      Query: ["email"],
      PutItem: ["audit", "email", "invitation", "organization"],
      ConditionCheckItem: ["organization"],
    },
  },
});

export const listInvitations = route({
  id: "listInvitations",
  method: "GET",
  path: "/organizations/{org_id}/invitations",
  handler: "api/access/organizations/list-invitations",
  summary: "List invitations",
  description:
    "Returns invitations of any status, newest first; invitations that were not accepted are listed until 30 days after they expire.",
  access: "user",
  params: organizationParams,
  query: v.object(optionalPaging),
  success: 200,
  reply: v.union([v.array(invitation), page(invitation)]),
  grants: { access: { BatchGetItem: ["invitation", "organization", "user"], Query: ["organization"] } },
});

export const revokeInvitation = route({
  id: "revokeInvitation",
  method: "DELETE",
  path: "/organizations/{org_id}/invitations/{invitation_id}",
  handler: "api/access/organizations/revoke-invitation",
  summary: "Revoke an invitation",
  description: "Revokes a pending invitation. Requires the admin or owner role.",
  access: "user",
  params,
  success: 204,
  reply: v.void(),
  conflict: "The invitation is not pending.",
  grants: {
    access: { GetItem: ["invitation"], PutItem: ["audit"], UpdateItem: ["invitation"], DeleteItem: ["email"] },
  },
});
